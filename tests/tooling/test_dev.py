"""The launcher of `make dev`: a port that is really free, and nothing left running after it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import dev
from tools.bootstrap import ROOT


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody listens, on every interface."""
    with socket.create_server(("", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_taken_port_is_refused(taken: int) -> None:
    """A port that was asked for by number is never silently replaced by another one."""
    with pytest.raises(dev.Failed, match=f"Port {taken} is in use"):
        dev.choose_port(str(taken))


@pytest.mark.parametrize("asked", ["0", "65536", "-1", "http", "20 24"])
def test_what_is_no_port_is_refused(asked: str) -> None:
    """PORT has to be a number that can be a port."""
    with pytest.raises(dev.Failed, match="is not a port"):
        dev.choose_port(asked)


def test_a_neighbour_of_a_taken_port_is_chosen(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a wish, the first free port from the usual one on is taken."""
    monkeypatch.setattr(dev, "USUAL_PORT", taken)
    assert taken < dev.choose_port(None) < taken + 20


def ended(pid: int, within: float) -> bool:
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


CHILD = """
import os, signal, sys, time
if sys.argv[1] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(os.getpid(), flush=True)
time.sleep(60)
"""
LAUNCHER = """
import os, subprocess, sys
watched = f"import tools.parent; tools.parent.end_with_parent({os.getpid()}, patience=1.0); import child"
subprocess.run([sys.executable, "-c", watched, sys.argv[1]])
"""


@pytest.mark.parametrize("kind", ["polite", "stubborn"])
def test_a_child_ends_with_a_launcher_that_was_killed(tmp_path: Path, kind: str) -> None:
    """After kill -9 of the launcher its child is asked to end, and made to when it does not."""
    (tmp_path / "child.py").write_text(CHILD)
    env = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    command = [sys.executable, "-c", LAUNCHER, kind]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as launcher:
        assert launcher.stdout is not None
        child = int(launcher.stdout.readline())
        launcher.send_signal(signal.SIGKILL)
        assert ended(child, within=10.0)
