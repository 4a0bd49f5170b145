"""What the engine's README shows is true: its program runs alone, and its table is the surface."""

import subprocess
import sys
from pathlib import Path

import trusted_memory
from support import readme


def test_the_program_runs(empty_database_uri: str, tmp_path: Path) -> None:
    """On an empty database, in a folder of its own, it prints what the page says."""
    (tmp_path / "alone.py").write_text(readme.program())
    command = [sys.executable, "alone.py", empty_database_uri]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == readme.printed()


def test_the_table_is_the_surface() -> None:
    """Each name of `__init__.pyi` has one line, and no other has one."""
    assert sorted(readme.named()) == sorted(vars(trusted_memory)["__all__"])


def test_the_program_stays_short() -> None:
    """About twenty lines: no more are needed to use the engine alone."""
    lines = [line for line in readme.program().splitlines() if line.strip()]
    assert len(lines) <= 25, f"{len(lines)} lines"
