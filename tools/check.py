"""Everything that can be checked without running the application. All steps run, then the verdict."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.bootstrap import ROOT, find_uv

BIN = Path(sys.executable).parent


def steps(scratch: Path) -> dict[str, list[str]]:
    python = sys.executable
    listed = {
        "ruff check": [python, "-m", "ruff", "check"],
        "ruff format": [python, "-m", "ruff", "format", "--check"],
        "mypy": [python, "-m", "mypy"],
        "import contracts": [python, str(BIN / "lint-imports")],
        "langgraph validate": [python, "-m", "langgraph_cli", "validate"],
        "langgraph dockerfile": [python, "-m", "langgraph_cli", "dockerfile", str(scratch / "Dockerfile")],
    }
    if uv := find_uv():
        # Compares the two files only; --offline makes sure of it.
        listed["uv.lock is current"] = [uv, "lock", "--check", "--offline"]
    else:
        print("check: uv is not here, so uv.lock was not compared with pyproject.toml", flush=True)
    return listed


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def main() -> int:
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, command in steps(Path(scratch)).items():
            started = time.monotonic()
            done = run(command)
            ok = done.returncode == 0
            print(f"{'ok    ' if ok else 'FAILED'}  {name}  ({time.monotonic() - started:.1f} s)", flush=True)
            if not ok:
                failed.append(name)
                print(done.stdout + done.stderr, flush=True)
    print(f"check: {', '.join(failed)} failed" if failed else "check: all passed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
