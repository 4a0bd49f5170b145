"""Migrations: LangGraph's tables, the job queue's and our own SQL files, safe from several processes at once."""

import asyncio
from importlib import resources

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres.aio import AsyncPostgresStore
from procrastinate.schema import SchemaManager
from psycopg.rows import dict_row

from graph.storage.pool import SCHEMA, Connection, DatabaseUnreachable, connection_options, unreachable
from graph.storage.semantic import prepare

LOCK = 7_221_940_713  # any number that is ours alone
WAIT = 60.0  # seconds


class MigrationStuck(RuntimeError):
    """Another process has been migrating for too long."""


def files() -> list[tuple[int, str, str]]:
    """(number, name, SQL) in order."""
    found = []
    for file in resources.files("graph.storage.migrations").iterdir():
        if file.name.endswith(".sql"):
            number, _, name = file.name.removesuffix(".sql").partition("_")
            found.append((int(number), name, file.read_text(encoding="utf-8")))
    return sorted(found)


async def migrate(uri: str, *, vectors: bool = False) -> list[str]:
    """Bring the database up to date; returns the names of the migrations applied by this call.

    With `vectors` also what semantic recall needs; raises NoVectors where the database can't have it.

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
        applied = await _apply(connection)
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


async def _apply(connection: Connection) -> list[str]:
    await connection.execute(f"create schema if not exists {SCHEMA}")
    await AsyncPostgresStore(connection).setup()
    await AsyncPostgresSaver(connection).setup()
    queue = await (await connection.execute("select to_regclass('procrastinate_jobs') as there")).fetchone()
    if queue and queue["there"] is None:
        async with connection.transaction():
            await connection.execute(SchemaManager.get_schema().encode())
    await connection.execute(
        "create table if not exists migration"
        " (number integer primary key, name text not null, applied_at timestamptz not null default now())"
    )
    rows = await (await connection.execute("select number from migration")).fetchall()
    done, applied = {row["number"] for row in rows}, list[str]()
    for number, name, sql in files():
        if number not in done:
            async with connection.transaction():
                await connection.execute(sql.encode())
                await connection.execute("insert into migration (number, name) values (%s, %s)", (number, name))
            applied.append(name)
    return applied
