"""Where REQUIRE_ALL=1 says that everything is installed, a skip is a failure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.bootstrap import ROOT

SUITE = """
import pytest
def test_that_passes(): pass
@pytest.mark.xfail(strict=True)
def test_that_is_expected_to_fail(): assert False
"""
SKIPS = {
    "mark": "@pytest.mark.skip(reason='no browser')\ndef test_x(): pass",
    "call": "def test_x(): pytest.skip('no browser')",
    "fixture": "@pytest.fixture\ndef browser(): pytest.skip('no browser')\ndef test_x(browser): pass",
    "module": "pytest.skip('no browser', allow_module_level=True)",
}


def run(folder: Path, suite: str, require: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(suite)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "support.no_skips",
        "-p",
        "no:cacheprovider",
        "test_it.py",
    ]
    env = os.environ | {
        "PYTHONPATH": str(ROOT / "packages/trusted_memory/tests"),
        "REQUIRE_ALL": require,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", SKIPS)
def test_a_skip_fails_where_everything_is_required(tmp_path: Path, kind: str) -> None:
    """Every way to skip fails with its reason, and passes where nothing is required."""
    suite = SUITE + SKIPS[kind]
    required, free = run(tmp_path, suite, "1"), run(tmp_path, suite, "")
    assert required.returncode != 0, required.stdout
    assert "Skipped where REQUIRE_ALL=1 forbids it" in required.stdout
    assert "no browser" in required.stdout
    assert free.returncode in (0, 5), free.stdout  # 5: a module that skips itself has no tests


def test_an_expected_failure_is_no_skip(tmp_path: Path) -> None:
    """A test that is marked as failing, and fails, is left alone."""
    assert run(tmp_path, SUITE, "1").returncode == 0
