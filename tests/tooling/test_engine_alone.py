"""The engine installs into an empty environment, without the template, and the program of its README runs there."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support import readme
from tools.bootstrap import ROOT, find_uv, uv_environment

LEFT_OUT = shutil.ignore_patterns("tests", "build", "*.egg-info", "__pycache__")


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = uv_environment()
    return subprocess.run([*map(str, command)], cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The Python of an environment with nothing but the engine and what it needs, as locked; from uv's cache first."""
    if (uv := find_uv()) is None:
        pytest.skip("uv is not here: `make env` brings it")
    house = shutil.copytree(readme.HOUSE, tmp_path / "house", ignore=LEFT_OUT)
    locked = ("export", "--frozen", "--quiet", "--no-hashes", "--no-emit-workspace", "--package", "trusted-memory")
    assert run(uv, *locked, "--output-file", tmp_path / "locked.txt", cwd=ROOT).returncode == 0
    assert run(uv, "venv", "--quiet", tmp_path / "venv", cwd=tmp_path).returncode == 0
    python = tmp_path / "venv/bin/python"
    install = ("pip", "install", "--quiet", "--python", python, "--constraint", tmp_path / "locked.txt", house)
    done = run(uv, *install, "--offline", cwd=tmp_path)
    if done.returncode != 0:
        done = run(uv, *install, cwd=tmp_path)
    if done.returncode != 0:
        pytest.skip(f"neither uv's cache nor the network has what the engine needs: {done.stderr[-300:]}")
    return python


def test_the_engine_runs_without_the_template(installed: Path, empty_database_uri: str, tmp_path: Path) -> None:
    """Nothing of the application is there, the surface is whole, and the program prints what the page says."""
    (tmp_path / "alone.py").write_text(readme.program())
    looks = "import importlib.util as u, trusted_memory; print(*map(u.find_spec, ('graph', 'prompts', 'support')));"
    looks += "[getattr(trusted_memory, name) for name in trusted_memory.__all__]"
    seen = run(installed, "-c", looks, cwd=tmp_path)
    assert (seen.returncode, seen.stdout) == (0, "None None None\n"), seen.stderr
    done = run(installed, "alone.py", empty_database_uri, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == readme.printed()
