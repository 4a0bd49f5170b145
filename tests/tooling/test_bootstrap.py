"""The front door: what makes the environment, and when it has nothing to do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import bootstrap

PYPROJECT = """
[project]
name = "x"
optional-dependencies = { offline = [], toolkit = [] }
[tool.ruff]
line-length = 120
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose environment was made, with the extra `offline`."""
    monkeypatch.delenv("PYTHON", raising=False)
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap, "STAMP", tmp_path / ".venv/stamp.json")
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "uv.lock").write_text("version = 1")
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    record = {"fingerprint": bootstrap.fingerprint(), "extras": ["offline"], "python": "3.11", "root": str(tmp_path)}
    bootstrap.STAMP.write_text(json.dumps(record))
    return tmp_path


def test_nothing_is_repeated(project: Path) -> None:
    """A made environment is recognised, and an edited lint rule does not undo that."""
    assert bootstrap.is_made({"offline"})
    (project / "pyproject.toml").write_text(PYPROJECT.replace("120", "100"))
    assert bootstrap.is_made({"offline"})


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("uv.lock", "version = 2"),
        ("pyproject.toml", PYPROJECT.replace('name = "x"', 'name = "y"')),
        (".venv/stamp.json", "{not json"),
        (".venv/stamp.json", "[]"),
    ],
)
def test_a_change_is_noticed(project: Path, file: str, text: str) -> None:
    """Another lock file, other dependencies or an unreadable stamp mean installing again."""
    (project / file).write_text(text)
    assert not bootstrap.is_made({"offline"})


def test_an_extra_that_is_missing_is_noticed(project: Path) -> None:
    """An environment without the extra asked for is not the one asked for."""
    assert not bootstrap.is_made({"offline", "toolkit"})


def test_a_python_that_is_gone_is_noticed(project: Path) -> None:
    """An environment whose Python was removed is made again."""
    python = project / ".venv/bin/python"
    python.unlink()
    python.symlink_to(project / "gone")
    assert not bootstrap.is_made({"offline"})


def test_another_python_asked_for_is_noticed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make PYTHON=…` with another version does not silently use the old one."""
    monkeypatch.setenv("PYTHON", "python3")
    monkeypatch.setattr(sys, "version_info", (3, 12, 0))
    assert not bootstrap.is_made({"offline"})


def test_an_old_uv_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A uv on PATH that cannot read this lock file is passed over."""
    monkeypatch.setattr(bootstrap, "TOOLS", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\necho uv 0.4.1\n")
    uv.chmod(0o755)
    assert bootstrap.find_uv() is None
    uv.write_text("#!/bin/sh\necho uv 0.11.2 '(abc 2026-03-01)'\n")
    assert bootstrap.find_uv() == str(uv)


def test_a_python_that_does_not_fit_is_named() -> None:
    """Without a usable Python, the message says which versions will do and how to name one."""
    env = os.environ | {"PYTHON": "/nowhere/python"}
    done = subprocess.run(
        ["/bin/sh", "tools/bootstrap.sh"], cwd=bootstrap.ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "needs Python 3.11, 3.12 or 3.13; /nowhere/python is: nothing that runs" in done.stderr
    assert "make PYTHON=" in done.stderr


@pytest.mark.parametrize("file", [".dockerignore", ".gitignore"])
def test_secrets_stay_out(file: str) -> None:
    """Neither an image nor the repository gets .env: `langgraph dockerfile` copies all that is not named."""
    assert {".env", ".env.*"} <= set((bootstrap.ROOT / file).read_text("utf-8").splitlines())
