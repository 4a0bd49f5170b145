"""Breaks the code in small named ways, one at a time, and shows that a named check catches each.

`python -m tools.mutants [NAME …]` runs those in tools/mutants.toml whose names contain a NAME, or all of them. Works
in copies of the tree that share .venv; the working tree is never touched. Fails when a mutant survives, when its text
is no longer found exactly once, or when its check fails without it.
"""

import dataclasses
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.bootstrap import ROOT

LISTED = ROOT / "tools/mutants.toml"
AT_ONCE = 2  # more only compete: the checks start databases and servers of their own
SECONDS = 300  # a mutant that hangs is not caught by the test it names
LEFT_OUT = shutil.ignore_patterns(
    ".git",
    ".venv",
    ".tools",
    ".data",
    ".langgraph_api",
    "__pycache__",
    ".pytest_cache",
    ".hypothesis",
    ".env",
    "*.egg-info",
)
BIN = Path(sys.executable).parent
HOUSES = (".", "packages/trusted_memory/src", "packages/trusted_memory/tests")  # before what is installed
CHECKS = {
    "ruff": [sys.executable, "-m", "ruff", "check", "--no-cache"],
    "mypy": [sys.executable, "-m", "mypy"],
    "imports": [sys.executable, str(BIN / "lint-imports"), "--no-cache"],
}


class Unusable(Exception):
    """The entry or its check cannot show anything; the message says why."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    find: str
    replace: str
    caught_by: str
    says: str = ""

    def apply(self, tree: Path) -> str:
        """Changes the file in `tree`; gives back the text it had."""
        path = tree / self.file
        text = path.read_text("utf-8") if path.is_file() else ""
        if (times := text.count(self.find)) != 1:
            raise Unusable(f"its text is found {times} times in {self.file}, not once: bring the entry up to date")
        path.write_text(text.replace(self.find, self.replace), "utf-8")
        return text


def listed(names: list[str] | None = None) -> list[Mutant]:
    entries = [Mutant(**entry) for entry in tomllib.loads(LISTED.read_text("utf-8"))["mutant"]]
    return [mutant for mutant in entries if not names or any(name in mutant.name for name in names)]


def run(tree: Path, *checks: str) -> tuple[int, str]:
    """Exit code and output of one of CHECKS, or of the tests that are named."""
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *checks]
    # No bytecode: Python would take a mutant of the same size, written within the same second, for the original.
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join(str(tree / part) for part in HOUSES),
        "PYTHONDONTWRITEBYTECODE": "1",
        "REQUIRE_ALL": "1",
    }
    env.setdefault("APP_SHARED_DATA", str(ROOT.parent / "shared/data"))  # cases that stand beside the project
    try:
        done = subprocess.run(
            CHECKS.get(checks[0], tests),
            cwd=tree,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS * len(checks),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, f"not finished after {SECONDS * len(checks)} s"
    return done.returncode, done.stdout + done.stderr


def attempt(mutant: Mutant, tree: Path) -> str:
    """What is wrong with this mutant; empty when it was caught as it should be."""
    original = mutant.apply(tree)
    try:
        code, output = run(tree, mutant.caught_by)
    finally:
        (tree / mutant.file).write_text(original, "utf-8")
    if code == 0:
        return f"SURVIVED: {mutant.caught_by} passes"
    if code != 1:  # 1 is "something failed"; anything else is a broken run, which proves nothing
        return f"{mutant.caught_by} did not run to its end (code {code}):\n{output[-2000:]}"
    if not re.search(mutant.says, output):
        return f"{mutant.caught_by} failed without saying {mutant.says!r}:\n{output[-2000:]}"
    return ""


def verify_unmutated(checks: Sequence[str], tree: Path) -> str:
    code, output = run(tree, *checks)
    return "" if code == 0 else f"fails without any mutant (code {code}):\n{output[-4000:]}"


def run_all(mutants: list[Mutant], scratch: Path) -> list[str]:
    """The names of what went wrong. First every check without a mutant, then the mutants."""
    problems: list[str] = []
    trees: queue.Queue[Path] = queue.Queue()
    for number in range(AT_ONCE):
        trees.put(Path(shutil.copytree(ROOT, scratch / str(number), ignore=LEFT_OUT)))

    def in_a_tree(name: str, task: Mutant | Sequence[str]) -> None:
        tree = trees.get()
        started = time.monotonic()
        try:
            problem = attempt(task, tree) if isinstance(task, Mutant) else verify_unmutated(task, tree)
        except Unusable as unusable:
            problem = str(unusable)
        finally:
            trees.put(tree)
        verdict = problem or (f"caught by {task.caught_by}" if isinstance(task, Mutant) else "passing unmutated")
        took = time.monotonic() - started
        print(f"{'FAILED' if problem else 'ok    '} {name}: {verdict} ({took:.1f} s)", flush=True)
        if problem:
            problems.append(name)

    used = {mutant.caught_by for mutant in mutants}
    unmutated = {check: [check] for check in sorted(used & set(CHECKS))}
    if tests := sorted(used - set(CHECKS)):
        unmutated[f"{len(tests)} tests"] = tests
    with ThreadPoolExecutor(AT_ONCE) as workers:
        list(workers.map(in_a_tree, unmutated, unmutated.values()))
        if not problems:
            list(workers.map(in_a_tree, [mutant.name for mutant in mutants], mutants))
    return problems


def main(names: list[str]) -> int:
    mutants = listed(names)
    if not mutants:
        print(f"mutants: none is named like {' '.join(names)}")
        return 2
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        problems = run_all(mutants, Path(scratch))
    if problems:
        print(f"mutants: {len(problems)} problems: {', '.join(problems)}")
        return 1
    print(f"mutants: all {len(mutants)} caught")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
