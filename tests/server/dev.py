"""`langgraph dev` on a copy of the project: starts, is killed, starts again; writes down whom it looked up."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tools.bootstrap import ROOT
from tools.dev import QUIET
from tools.mutants import LEFT_OUT, python_path

# Python loads it in every process of the server. Without uvloop every look-up and connection of Python code passes an
# audit hook; the driver's own (libpq) goes to the address that is configured. Like the tests, it serves the example.
RECORDER = """
import ipaddress, sys
import evals
sys.modules["uvloop"] = None
log = open({log!r}, "a", buffering=1)
def local(host):
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else host).is_loopback
    except ValueError:
        return False
def hook(event, args):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = args[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return
    if not local(host):
        log.write(f"{{event}} {{host}}\\n")
sys.addaudithook(hook)
"""


class Dev:
    """The server in a process group of its own. `clients` are told apart by the header that names the customer."""

    def __init__(self, folder: Path, database_uri: str, **environment: str) -> None:
        self.folder = Path(shutil.copytree(ROOT, folder, ignore=LEFT_OUT))
        self.outside, self.log = self.folder / "outside.log", self.folder / "dev.log"
        self.outside.touch()
        (self.folder / "sitecustomize.py").write_text(RECORDER.format(log=str(self.outside)))
        theirs = {
            n: v for n, v in os.environ.items() if not n.startswith(("APP_", "NVIDIA_", "LANGSMITH_", "LANGCHAIN_"))
        }
        ours = {"APP_DATABASE_URI": database_uri, "APP_DATA_DIR": str(self.folder / ".data"), "LOG_LEVEL": "WARNING"}
        self.environment = theirs | QUIET | ours | {"PYTHONPATH": python_path(self.folder)} | environment
        self.process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def start(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = str(listener.getsockname()[1])
        options = ["--host", "127.0.0.1", "--port", port, "--n-jobs-per-worker", "10", "--no-browser", "--no-reload"]
        written = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "langgraph_cli", "dev", *options],
                cwd=self.folder, env=self.environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            said = self.log.read_bytes()[written:].decode(errors="replace")
            if found := re.search(r"API: .*?(http://[\d.]+:\d+)", said):
                self.url = found[1]
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{self.url}/ok", timeout=5).close()  # noqa: S310 - our own address
                    return
            time.sleep(0.1)
        raise AssertionError(f"langgraph dev did not serve:\n{self.log.read_text('utf-8', 'replace')[-5000:]}")

    def stop(self, number: signal.Signals) -> int:
        """Send the whole group a signal; gives the exit code."""
        assert self.process
        os.killpg(self.process.pid, number)
        return self.process.wait(30)

    def client(self, customer: str | None, **headers: str) -> LangGraphClient:
        named = {"x-customer-id": customer} if customer is not None else {}
        return get_client(url=self.url, headers=named | {n.replace("_", "-"): v for n, v in headers.items()})
