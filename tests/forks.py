"""A copy of the project that a test may change as a fork does, and the tests that run in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from graph.settings import ROOT

HOUSES = (".", "packages/trusted_memory/src", "packages/trusted_memory/tests")
PARTS = ("graph", "prompts", "evals", "tests", "tools", "packages")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "data")


def copied(folder: Path) -> Path:
    """The project without its environment and history."""
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=LEFT_OUT)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def replace_line(file: Path, line: str, *lines: str) -> None:
    """Put other lines (or none) in place of one, which must stand there exactly once."""
    before = file.read_text("utf-8").splitlines()
    [at] = [at for at, held in enumerate(before) if held.strip() == line]
    indent = before[at][: len(before[at]) - len(before[at].lstrip())]
    after = [*before[:at], *(f"{indent}{new}" for new in lines), *before[at + 1 :]]
    file.write_text("\n".join(after) + "\n", "utf-8")


def checked(folder: Path, server: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest in the copy, on its own code: nothing of this project is imported there."""
    paths = os.pathsep.join(str(folder / house) for house in HOUSES)
    env = os.environ | {"PYTHONPATH": paths, "APP_TEST_DATABASE_URI": server}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
