"""An embedded PostgreSQL: one server for each data folder, shared by all processes that use it, gone with the last.

Four parts: this file holds the users' side; `programs.py` finds PostgreSQL and the account that runs it, `cluster.py`
makes the data, `supervisor.py` runs the server. They find each other by two locked files in `<data_dir>/postgres`:
every user holds `users` (shared), supervisor and server hold `server`. Locks end with the processes that hold them, so
nothing has to be believed that a killed process left behind.
"""

import asyncio
import fcntl
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from trusted_memory.offline.cluster import Cluster
from trusted_memory.offline.loopback import require_loopback
from trusted_memory.offline.programs import INSTEAD, PostgresError

_START_SECONDS = 60  # also covers recovery after a kill -9 under load
_STOP_SECONDS = 5


@asynccontextmanager
async def embedded_postgres(data_dir: Path, *, fast: bool = False) -> AsyncIterator[str]:
    """`postgres_server` off the event loop, where `langgraph dev` forbids blocking calls."""
    server = postgres_server(data_dir, fast=fast)
    entering = asyncio.create_task(asyncio.to_thread(server.__enter__))
    try:
        yield await asyncio.shield(entering)
    finally:
        await asyncio.wait([entering])  # if cancelled meanwhile, the thread is still at it
        if not entering.exception():
            await asyncio.to_thread(server.__exit__, None, None, None)


@contextmanager
def postgres_server(data_dir: Path, *, fast: bool = False) -> Iterator[str]:
    """A URI of the database `app` on the server of this data folder, which runs as long as anybody is in here.

    The data is kept. With `fast`, for tests, what was committed survives any kill, but not a power cut.
    """
    own = data_dir.resolve() / "postgres"
    try:
        users = _enter(own)
    except OSError as error:
        raise PostgresError(
            f"Cannot use {own}: {error}. Run as its owner, or set APP_DATA_DIR to another folder. {INSTEAD}"
        ) from error
    try:
        yield _attach(own, fast)
    finally:
        last = _lock(users, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_UN)  # closing is not enough if a forked child has the descriptor as well
        os.close(users)
        if last:
            _wait_for_the_end(own)


def _enter(own: Path) -> int:
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    if own.is_symlink() or own.stat().st_uid != os.geteuid():
        raise PermissionError(f"it belongs to user {own.lstat().st_uid}, and this is user {os.geteuid()}")
    own.chmod(0o700)
    users = os.open(own / "users", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(users, fcntl.LOCK_SH)  # waits while a server without users is being stopped
    return users


def _attach(own: Path, fast: bool) -> str:
    """The URI of a server that answers. Of several processes that find none, the one that gets the lock starts it."""
    starts = 0
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        with _held(own / "server") as lock:
            if lock is not None and starts == 3:
                raise PostgresError(f"PostgreSQL does not start. Its log says:\n{_tail(own / 'log')}\n{INSTEAD}")
            if lock is not None:
                try:
                    _start(own, lock, fast, any_port=starts > 0)
                except OSError as error:
                    raise PostgresError(f"Cannot start PostgreSQL in {own}: {error}. {INSTEAD}") from error
                starts += 1
        if uri := _answering(own, fast):
            return uri
        time.sleep(0.03)
    raise PostgresError(
        f"PostgreSQL runs in {own} but does not answer on 127.0.0.1. Another container or network namespace may have"
        f" started it: stop it there. Its log says:\n{_tail(own / 'log')}\n{INSTEAD}"
    )


def _start(own: Path, lock: int, fast: bool, *, any_port: bool) -> None:
    """Start a server; while we have its lock, nobody else can, and none is there."""
    require_loopback()
    data, uri = own / "cluster", own / "uri"
    if not (data / "PG_VERSION").exists():
        uri.unlink(missing_ok=True)
    cluster = Cluster.open(data, lock)
    (data / "postmaster.pid").unlink(missing_ok=True)  # stale; its number may belong to any process by now
    password, port = _known(uri)
    if password is None:
        password = secrets.token_urlsafe(24)
        cluster.sql(f"ALTER ROLE app PASSWORD '{password}'")
    port = _free_port(0 if any_port else port)
    _write_private(uri, f"postgresql://app:{password}@127.0.0.1:{port}/app")
    if (own / "log").exists():
        (own / "log").replace(own / "log.old")
    cluster.serve(port, own / "users", own / "log", fast=fast)


def _answering(own: Path, fast: bool) -> str | None:
    try:
        uri = (own / "uri").read_text()
        # The server has to prove that it knows the password; any program may listen on that port by now.
        with psycopg.connect(uri, connect_timeout=2, require_auth="scram-sha-256") as connection:
            durable = connection.execute("SHOW fsync").fetchone() == ("on",)
    except (FileNotFoundError, psycopg.Error):
        return None
    if not durable and not fast:
        raise PostgresError(
            f"The server in {own} was started with fast=True, so it may lose data. Stop its users first."
        )
    return uri


def _known(uri: Path) -> tuple[str | None, int]:
    """Password and port of the last time; clients like to find the same port again."""
    with suppress(FileNotFoundError, ValueError):
        parts = urlsplit(uri.read_text())
        return parts.password, parts.port or 0
    return None, 0


def _free_port(wanted: int) -> int:
    for port in (wanted, 0):
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise OSError("no free port on 127.0.0.1")


def _write_private(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    fresh.replace(path)


def _lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _held(path: Path) -> Iterator[int | None]:
    """A descriptor that holds the lock for us and whoever inherits it, or None if somebody else has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor if _lock(descriptor, fcntl.LOCK_EX) else None
    finally:
        os.close(descriptor)


def _wait_for_the_end(own: Path) -> None:
    """After the last user: until the server is gone, so that its folder can be moved or removed at once."""
    deadline = time.monotonic() + _STOP_SECONDS
    while time.monotonic() < deadline:
        with _held(own / "server") as lock:
            if lock is not None:
                return
        time.sleep(0.03)


def _tail(log: Path) -> str:
    return log.read_text(errors="replace").strip()[-2000:] if log.exists() else "there is no log"
