"""Migrations: from nothing, twice, from many processes at once, and when one of them is stuck."""

import asyncio
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from support.shop import MIGRATIONS
from trusted_memory.storage import migrate as migrating
from trusted_memory.storage.migrate import LOCK, Migration, MigrationEdited, MigrationStuck, files, migrate
from trusted_memory.storage.pool import DatabaseUnreachable

MIGRATE = (
    "import asyncio, sys; from trusted_memory.storage.migrate import migrate; print(*asyncio.run(migrate(sys.argv[1])))"
)


def applied(uri: str) -> list[tuple[str, str]]:
    with psycopg.connect(uri) as connection:
        return connection.execute("select house, name from memory.migration order by applied_at").fetchall()


async def test_each_is_applied_once_and_in_order(empty_database_uri: str) -> None:
    """A fresh database gets every numbered file; a second call changes nothing."""
    assert await migrate(empty_database_uri) == [m.name for m in files()]
    assert await migrate(empty_database_uri) == []
    assert applied(empty_database_uri) == [(m.house, m.name) for m in files()]


@pytest.mark.timeout(180)
def test_eight_processes_at_once(empty_database_uri: str) -> None:
    """All of them end well, and between them each file is applied once (bare `setup()` failed in 18 of 24 calls)."""
    starting = [
        subprocess.Popen([sys.executable, "-c", MIGRATE, empty_database_uri], stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    ended = [(process.communicate(timeout=150)[0].split(), process.returncode) for process in starting]
    assert [code for _, code in ended] == [0] * 8
    assert sorted(name for names, _ in ended for name in names) == sorted(m.name for m in files())
    assert len(applied(empty_database_uri)) == len(files())


async def test_a_file_that_fails_leaves_nothing(empty_database_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration is whole or not there; the next call goes on where it stopped."""
    good, broken = (
        Migration("engine", "9001_good", "create table good (a int)"),
        Migration("engine", "9002_broken", "create table half (a int); select 1/0"),
    )
    monkeypatch.setattr(migrating, "files", lambda *_: [*files(), good, broken])
    with pytest.raises(psycopg.errors.DivisionByZero):
        await migrate(empty_database_uri)
    assert applied(empty_database_uri)[-1] == ("engine", "9001_good")
    with psycopg.connect(empty_database_uri) as connection:
        assert connection.execute("select to_regclass('memory.half')").fetchone() == (None,)
    mended = Migration("engine", "9002_mended", "create table half (a int)")
    monkeypatch.setattr(migrating, "files", lambda *_: [*files(), good, mended])
    assert await migrate(empty_database_uri) == ["9002_mended"]


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


OLD = """
drop table memory.migration;
create table memory.migration
    (number integer primary key, name text not null, applied_at timestamptz not null default now());
insert into memory.migration (number, name) values (1, 'memory'), (2, 'sample_shop'), (3, 'rights'),
    (4, 'conversations'), (5, 'bounded'), (6, 'defer'), (7, 'copies'), (8, 'of_a_fork')"""


async def test_a_database_of_one_sequence_becomes_one_of_two_houses(database_uri: str) -> None:
    """What an earlier version has applied is not applied again; a fork's own numbers stay the application's."""
    with psycopg.connect(database_uri, autocommit=True) as connection:
        connection.execute(OLD.encode())
    assert await migrate(database_uri, ours=MIGRATIONS) == []
    assert ("application", "0008_of_a_fork") in applied(database_uri)
    assert ("application", "0001_sample_shop") in applied(database_uri)
    assert {name for house, name in applied(database_uri) if house == "engine"} == {m.name for m in files()}


async def test_the_same_number_in_both_houses(empty_database_uri: str, tmp_path: Path) -> None:
    """A fork's 0001 and 0008 are applied beside the engine's, whatever the engine's numbers are or become."""
    (tmp_path / "0001_memory.sql").write_text("create table fork_first (a int)")
    (tmp_path / "0008_next.sql").write_text("create table fork_eighth (a int)")
    assert await migrate(empty_database_uri, ours=tmp_path) == [*(m.name for m in files()), "0001_memory", "0008_next"]
    with psycopg.connect(empty_database_uri) as connection:
        assert connection.execute(
            "select to_regclass('memory.fork_first'), to_regclass('memory.fork_eighth')"
        ).fetchone()


async def test_an_edited_file_is_named(empty_database_uri: str, tmp_path: Path) -> None:
    """What was applied is never silently something else."""
    file = tmp_path / "0001_ours.sql"
    file.write_text("create table ours (a int)")
    await migrate(empty_database_uri, ours=tmp_path)
    file.write_text("create table ours (a int, b int)")
    with pytest.raises(MigrationEdited, match="0001_ours was edited"):
        await migrate(empty_database_uri, ours=tmp_path)
