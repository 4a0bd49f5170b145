"""`make dev` as a person uses it, in a copy of the project: serves a turn, and leaves nothing behind."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from tools.bootstrap import ROOT
from tools.mutants import LEFT_OUT, python_path

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc"),
    pytest.mark.timeout(300),  # a busy machine with two cores needs a minute for each
]


class Dev:
    """The launcher as a child of this test. `folder` is in the command line of all that it starts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ours = {"APP_DATA_DIR": str(folder / ".data"), "PORT": "", "LOG_LEVEL": "WARNING"}
        ours |= {"PYTHONPATH": python_path(folder)}
        configured = ("APP_", "NVIDIA_", "LANGSMITH_", "LANGCHAIN_")
        env = {name: value for name, value in os.environ.items() if not name.startswith(configured)} | ours
        self.log = folder / "dev.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tools.dev"], cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True
            )

    def url(self) -> str:
        """The address it prints once it serves."""
        until = time.monotonic() + 90
        while time.monotonic() < until and self.process.poll() is None:
            if found := re.search(r"API       (http://\S+)", self.log.read_text("utf-8")):
                return found[1]
            time.sleep(0.2)
        pytest.fail(f"make dev did not serve:\n{self.log.read_text('utf-8')}")

    def left(self, within: float) -> list[str]:
        """What of it still runs after so many seconds."""
        until = time.monotonic() + within
        while (running := self._running()) and time.monotonic() < until:
            time.sleep(0.2)
        return running

    def _running(self) -> list[str]:
        """Processes that work in the folder or were told of it; zombies have neither."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().decode(errors="replace")
                place = str((process / "cwd").readlink())
            except OSError:
                continue
            if (str(self.folder) in words or place == str(self.folder)) and int(process.name) != os.getpid():
                found.append(f"{process.name} {words}")
        return found


@pytest.fixture
def dev(tmp_path: Path) -> Iterator[Dev]:
    """A running `make dev` on a fresh copy of the project."""
    folder = Path(shutil.copytree(ROOT, tmp_path / "project", ignore=LEFT_OUT))
    started = Dev(folder)
    yield started
    if started.process.poll() is None:
        started.process.kill()
    started.left(within=20)


async def say(url: str, text: str) -> str:
    client = get_client(url=url)
    thread = await client.threads.create()
    said = ""
    start: dict[str, Any] = {"messages": [{"role": "user", "content": text}]}
    async for part in client.runs.stream(thread["thread_id"], "assistant", input=start, stream_mode="messages-tuple"):
        assert part.event != "error", part.data
        if part.event == "messages":
            said += part.data[0]["content"]
    return said


async def test_it_serves_a_turn_and_stops_in_order(dev: Dev) -> None:
    """Nothing is configured: a plain client is answered; after SIGTERM no process is left, the database's included."""
    assert await say(dev.url(), "Hello there")
    dev.process.send_signal(signal.SIGTERM)
    assert dev.process.wait(20) == 0
    assert dev.left(within=10) == []
    assert "dev: stopped (SIGTERM)" in dev.log.read_text("utf-8")


async def test_nothing_outlives_a_killed_launcher(dev: Dev) -> None:
    """After kill -9 of the launcher, server and database end as well."""
    dev.url()
    dev.process.kill()
    dev.process.wait()
    assert dev.left(within=40) == []
