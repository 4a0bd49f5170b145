"""`make dev`: starts Postgres where none is configured, migrates, serves, and stops it all in order.

The offline demo model, where it is needed, runs inside the server: `graph.deps` starts it there and knows that it did.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from types import FrameType

from graph.settings import Settings, read_settings
from tools.bootstrap import ROOT
from tools.parent import end_with_parent
from trusted_memory import BadSettings
from trusted_memory.offline.postgres import postgres_server

HOST = "127.0.0.1"
USUAL_PORT = 2024
DEMO_CUSTOMER = "demo"  # for Studio and clients that send no header; only this launcher has such a default
READY_WITHIN = 120.0
STOPPED_WITHIN = 15.0  # open streams keep uvicorn waiting for ever
# Nothing looks anything up unless it was asked to. The first has to be a real variable: the CLI reads it before .env.
QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "1",
    "LANGSMITH_TRACING": "false",
    "NVIDIA_USAGE_TELEMETRY_ENABLED": "false",
}


class Stop(Exception):
    """Somebody asked us to end."""


class Failed(Exception):
    """Starting did not work; the message says what to do."""


def is_free(port: int) -> bool:
    """Listening proves more than binding: with SO_REUSEADDR a bind may succeed beside another one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen()
        except OSError:
            return False
        return True


def choose_port(asked: str | None) -> int:
    """The port asked for, or none; else the usual one or a neighbour. langgraph itself would silently take any."""
    if asked:
        if not asked.isdecimal() or not 0 < int(asked) < 65536:
            raise Failed(f"PORT={asked} is not a port: a number from 1 to 65535.")
        if not is_free(int(asked)):
            raise Failed(f"Port {asked} is in use. Name another (make dev PORT=…), or none to have one chosen.")
        return int(asked)
    for port in range(USUAL_PORT, USUAL_PORT + 20):
        if is_free(port):
            return port
    raise Failed(f"Ports {USUAL_PORT} to {USUAL_PORT + 19} are all in use. Name another: make dev PORT=…")


class Server:
    """`langgraph dev` as a child in its own process group, so that Ctrl-C reaches the launcher alone."""

    def __init__(self, port: int, env: dict[str, str]) -> None:
        # No reload unless asked for: it restarts under running turns at every saved .py file, tests included, and
        # watches every folder of the project, .venv and the database's files among them.
        reload = [] if env.get("RELOAD", "0") not in ("", "0") else ["--no-reload"]
        arguments = ["dev", "--host", HOST, "--port", str(port), "--n-jobs-per-worker", "10", "--no-browser", *reload]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.parent", str(os.getpid()), "langgraph_cli", *arguments],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            process_group=0,
        )
        self.said_url = threading.Event()
        self.url = ""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Hands the output on. The server's own word for its address counts: another may have taken ours meanwhile."""
        assert self.process.stdout is not None  # noqa: S101 - for mypy; it is a pipe
        for line in self.process.stdout:
            if not self.url and (found := re.search(r"API: .*?(http://[\d.]+:\d+)", line)):
                self.url = found[1]
                self.said_url.set()
            with contextlib.suppress(BrokenPipeError):
                print(line, end="", flush=True)

    def wait_until_ready(self) -> None:
        until = time.monotonic() + READY_WITHIN
        while time.monotonic() < until:
            if (code := self.process.poll()) is not None:
                raise Failed(f"langgraph dev ended with code {code} before it served; its output is above.")
            if self.said_url.wait(0.2):
                with contextlib.suppress(urllib.error.URLError, OSError):
                    if urllib.request.urlopen(f"{self.url}/ok", timeout=5).status == 200:  # noqa: S310 - our own address
                        return
                time.sleep(0.1)
        raise Failed(f"langgraph dev did not answer within {READY_WITHIN:.0f} s; its output is above.")

    def stop(self) -> None:
        """The whole group: a reloading server has children of its own."""
        for request, patience in ((signal.SIGTERM, STOPPED_WITHIN), (signal.SIGKILL, 5.0)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, request)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience)
                break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


@contextlib.contextmanager
def serving(port: int, env: dict[str, str]) -> Iterator[Server]:
    server = Server(port, env)
    try:
        yield server
    finally:
        server.stop()


def migrate(env: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-m", "graph", "migrate"], cwd=ROOT, env=env, check=False)
    if done.returncode != 0:
        raise Failed("The database could not be migrated; the message is above. `make doctor` says more.")


def stop_on_signals() -> None:
    def stop(number: int, _frame: FrameType | None) -> None:
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(signum, signal.SIG_IGN)  # stopping is under way and takes a bounded time
        raise Stop(signal.Signals(number).name)

    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, stop)


def run(settings: Settings) -> None:
    port = choose_port(os.environ.get("PORT"))
    # At INFO, forty lines of the server's own affairs would bury ours, and more follow every minute.
    output = {"PYTHONUNBUFFERED": "1", "LOG_LEVEL": "WARNING", "LOG_COLOR": str(sys.stdout.isatty()).lower()}
    env = QUIET | output | os.environ
    with contextlib.ExitStack() as started:
        database = "the one in APP_DATABASE_URI"
        if not settings.database_uri:
            env["APP_DATABASE_URI"] = started.enter_context(postgres_server(settings.data_dir))
            database = f"embedded Postgres, kept in {settings.data_dir}"
        migrate(env)
        env.setdefault("APP_DEV_CUSTOMER", settings.dev_customer or DEMO_CUSTOMER)
        server = started.enter_context(serving(port, env))
        server.wait_until_ready()
        model = "offline demo: rules that prove the plumbing only; .env.example says how to name a real one"
        print(
            f"\nThe assistant is ready. Ctrl-C stops everything.\n"
            f"  API       {server.url} (reference: {server.url}/docs)\n"
            f"  customer  {env['APP_DEV_CUSTOMER']}, unless a request has the header x-customer-id\n"
            f"  terminal  make chat\n"
            f"  database  {database}\n"
            f"  model     {model if settings.offline_model else 'the one configured'}\n",
            flush=True,
        )
        code = server.process.wait()
        raise Failed(f"langgraph dev ended by itself with code {code}; its output is above.")


def main() -> int:
    end_with_parent(os.getppid())
    stop_on_signals()
    try:
        run(read_settings())
    except Stop as stop:
        print(f"dev: stopped ({stop})", flush=True)
        return 0
    except (Failed, BadSettings) as failure:
        print(f"dev: {failure}", file=sys.stderr, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
