"""Migrations: from nothing, twice, from many processes at once, and when one of them is stuck."""

import asyncio
import subprocess
import sys

import psycopg
import pytest

from graph.storage import migrate as migrating
from graph.storage.migrate import LOCK, MigrationStuck, files, migrate
from graph.storage.pool import DatabaseUnreachable

MIGRATE = "import asyncio, sys; from graph.storage.migrate import migrate; print(*asyncio.run(migrate(sys.argv[1])))"


def applied(uri: str) -> list[tuple[int, str]]:
    with psycopg.connect(uri) as connection:
        return connection.execute("select number, name from memory.migration order by number").fetchall()


async def test_each_is_applied_once_and_in_order(empty_database_uri: str) -> None:
    """A fresh database gets every numbered file; a second call changes nothing."""
    assert await migrate(empty_database_uri) == [name for _, name, _ in files()]
    assert await migrate(empty_database_uri) == []
    assert applied(empty_database_uri) == [(number, name) for number, name, _ in files()]


@pytest.mark.timeout(180)
def test_eight_processes_at_once(empty_database_uri: str) -> None:
    """All of them end well, and between them each file is applied once (bare `setup()` failed in 18 of 24 calls)."""
    starting = [
        subprocess.Popen([sys.executable, "-c", MIGRATE, empty_database_uri], stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    ended = [(process.communicate(timeout=150)[0].split(), process.returncode) for process in starting]
    assert [code for _, code in ended] == [0] * 8
    assert sorted(name for names, _ in ended for name in names) == sorted(name for _, name, _ in files())
    assert len(applied(empty_database_uri)) == len(files())


async def test_a_file_that_fails_leaves_nothing(empty_database_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration is whole or not there; the next call goes on where it stopped."""
    good, broken = (
        (9001, "good", "create table good (a int)"),
        (9002, "broken", "create table half (a int); select 1/0"),
    )
    monkeypatch.setattr(migrating, "files", lambda: [*files(), good, broken])
    with pytest.raises(psycopg.errors.DivisionByZero):
        await migrate(empty_database_uri)
    assert applied(empty_database_uri)[-1] == good[:2]
    with psycopg.connect(empty_database_uri) as connection:
        assert connection.execute("select to_regclass('memory.half')").fetchone() == (None,)
    monkeypatch.setattr(migrating, "files", lambda: [*files(), good, (9002, "mended", "create table half (a int)")])
    assert await migrate(empty_database_uri) == ["mended"]


async def test_one_that_hangs_is_named(database_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits too long for another process is told what to do, and can be cancelled while waiting."""
    monkeypatch.setattr(migrating, "WAIT", 0.3)
    with psycopg.connect(database_uri) as other:
        other.execute("select pg_advisory_lock(%s)", (LOCK,))
        with pytest.raises(MigrationStuck, match="pg_stat_activity"):
            await migrate(database_uri)
        monkeypatch.setattr(migrating, "WAIT", 60)
        waiting = asyncio.create_task(migrate(database_uri))
        await asyncio.sleep(0.2)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert await migrate(database_uri) == []


async def test_no_database(database_server: str) -> None:
    """An unreachable server is a clear error, soon, with its cause."""
    with pytest.raises(DatabaseUnreachable, match="APP_DATABASE_URI") as raised:
        await migrate("postgresql://nobody:secret@127.0.0.1:1/nowhere")
    assert isinstance(raised.value.__cause__, psycopg.OperationalError)
    assert "secret" not in str(raised.value)
