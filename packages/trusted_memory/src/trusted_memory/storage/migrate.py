"""Migrations of two houses, the engine's and the application's: each with a sequence of its own, safe from races.

Before them LangGraph's tables and the job queue's are set up. A migration is known by its house and name, and by the
checksum of its file: a number that both houses use, or a file that was edited after it was applied, harms nothing
silently.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres.aio import AsyncPostgresStore
from procrastinate.schema import SchemaManager
from psycopg.rows import dict_row

from trusted_memory.storage.pool import SCHEMA, Connection, DatabaseUnreachable, connection_options, unreachable
from trusted_memory.storage.semantic import prepare

LOCK = 7_221_940_713  # any number that is ours alone
WAIT = 60.0  # seconds
ENGINE, APPLICATION = "engine", "application"

# Until 0.1 there was one sequence, keyed by number alone; what isn't the engine's in it is the application's.
ONE_HOUSE = """
alter table migration add column house text, add column checksum text;
update migration set name = lpad(number::text, 4, '0') || '_' || name;
update migration set house = case when name = any(%(engine)s) then 'engine' else 'application' end;
update migration set name = '0001_sample_shop' where name = '0002_sample_shop';
alter table migration drop column number, alter column house set not null, add primary key (house, name)"""


class MigrationStuck(RuntimeError):
    """Another process has been migrating for too long."""


class MigrationEdited(RuntimeError):
    """A file isn't what was applied under its name."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: `NNNN_name.sql`. Files of a house are applied in the order of their names."""

    house: str
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def files(folder: Any = None, house: str = ENGINE) -> list[Migration]:
    """The migrations in a folder, in order; without one the engine's own."""
    folder = folder or resources.files("trusted_memory.storage.migrations")
    found = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [Migration(house, file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in found]


async def migrate(uri: str, *, vectors: bool = False, ours: Path | None = None) -> list[str]:
    """Bring the database up to date; returns the names of the migrations applied by this call, the engine's first.

    `ours` is the folder of the application's own. With `vectors` also what semantic recall needs. Raises
    DatabaseUnreachable, MigrationStuck, MigrationEdited; NoVectors where the database can't have them.

    The lock is polled on an autocommit connection: a blocking one would deadlock with CREATE INDEX CONCURRENTLY in
    LangGraph's own set-up, which waits for every older transaction, the waiters on the lock included.
    """
    try:
        connection: Connection = await psycopg.AsyncConnection.connect(
            uri, connect_timeout=5, **{**connection_options(), "row_factory": dict_row}
        )
    except psycopg.OperationalError as error:
        raise DatabaseUnreachable(unreachable(uri)) from error
    async with connection:  # whose end frees the lock, too
        await _lock(connection)
        applied = await _apply(connection, [*files(), *(files(ours, APPLICATION) if ours else ())])
        if vectors:
            await prepare(connection)
        return applied


async def _lock(connection: Connection) -> None:
    try:
        async with asyncio.timeout(WAIT):
            while True:
                row = await (await connection.execute("select pg_try_advisory_lock(%s) as got", (LOCK,))).fetchone()
                if row and row["got"]:
                    return
                await asyncio.sleep(0.1)
    except TimeoutError as error:
        raise MigrationStuck(
            f"another process has been migrating for {WAIT:.0f} s; see pg_stat_activity, end it, and run this again"
        ) from error


async def _apply(connection: Connection, wanted: Sequence[Migration]) -> list[str]:
    await connection.execute(f"create schema if not exists {SCHEMA}")
    await AsyncPostgresStore(connection).setup()
    await AsyncPostgresSaver(connection).setup()
    queue = await (await connection.execute("select to_regclass('procrastinate_jobs') as there")).fetchone()
    if queue and queue["there"] is None:
        async with connection.transaction():
            await connection.execute(SchemaManager.get_schema().encode())
    done, applied = await _done(connection), list[str]()
    for migration in wanted:
        known = done.get((migration.house, migration.name))
        if known and known != migration.checksum:
            raise MigrationEdited(
                f"the {migration.house}'s migration {migration.name} was edited after it was applied here: restore the "
                "file, and put the change into a new one"
            )
        if known is None:
            async with connection.transaction():
                if (migration.house, migration.name) not in done:
                    await connection.execute(migration.sql.encode())
                    applied.append(migration.name)
                await connection.execute(
                    "insert into migration (house, name, checksum) values (%s, %s, %s)"
                    " on conflict (house, name) do update set checksum = excluded.checksum",
                    (migration.house, migration.name, migration.checksum),
                )
    return applied


async def _done(connection: Connection) -> dict[tuple[str, str], str | None]:
    """House and name of what was applied, with its checksum, where one was kept."""
    await connection.execute(
        "create table if not exists migration (house text not null, name text not null, checksum text,"
        " applied_at timestamptz not null default now(), primary key (house, name))"
    )
    columns = "select 1 from information_schema.columns where table_schema = %s and table_name = 'migration'"
    if await (await connection.execute(f"{columns} and column_name = 'number'", (SCHEMA,))).fetchone():
        async with connection.transaction():
            for statement in ONE_HOUSE.split(";"):
                await connection.execute(statement.encode(), {"engine": [m.name for m in files()]})
    rows = await (await connection.execute("select house, name, checksum from migration")).fetchall()
    return {(row["house"], row["name"]): row["checksum"] for row in rows}
