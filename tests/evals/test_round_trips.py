"""What a commit costs: round trips, what it survives, and the evaluations that measure it, made small."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from evals import floor, scale
from evals.deliver import schema_of
from evals.trips import counting
from support.database import SCHEMA
from trusted_memory.facts.batch import Reading, UnknownSource
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.pool import Connection, Database, subject_id, transaction
from trusted_memory.storage.rebuild import check

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = b"a key of the tests"


async def told(database: Database, subject: Subject, many: int) -> list[Reading]:
    """Messages in the transcript, and what is read in them: each sets another value."""
    messages = [
        transcript.Message(f"m{n}", "thread", "user", "customer", NOW + timedelta(seconds=n), f"Please come at {n}.")
        for n in range(many)
    ]
    async with database.connection() as connection:
        await transcript.record(connection, subject, messages, KEY)
    return [Reading(f"m{n}", (Claim("window", f"{n}", f"at {n}"),)) for n in range(many)]


async def test_one_claim_takes_at_most_three_round_trips(database: Database, subject: Subject) -> None:
    """From asking for a connection to the commit; before and after statements are prepared, new value or change."""
    readings = await told(database, subject, 7)
    taken = []
    async with counting(await database.uri()) as trips:
        behind = Database(trips.uri)
        committer = Committer(behind, SCHEMA, lambda: KEY)
        await behind.pool()
        for reading in readings:
            before = trips.count
            await committer.commit(subject, [reading], extractor="tests", now=NOW)
            taken.append(trips.count - before)
        await behind.close()
    assert max(taken) <= 3, taken
    assert min(taken) >= 2, f"{taken}: reading and writing can't travel together, so the counting is broken"


async def test_the_counter_counts(database_uri: str) -> None:
    """Three statements that are waited for are three round trips; in one pipeline they are one."""
    async with (
        counting(database_uri) as trips,
        await psycopg.AsyncConnection.connect(trips.uri, autocommit=True) as connection,
    ):
        before = trips.count
        for _ in range(3):
            await connection.execute("select 1")
        assert trips.count - before == 3
        before = trips.count
        async with connection.pipeline():
            for _ in range(3):
                await connection.execute("select 1")
        assert trips.count - before == 1


async def test_commits_survive_dropped_connections(database: Database, committer: Committer, subject: Subject) -> None:
    """The server drops every idle connection of the pool, as a restart does; the next commits don't fail."""
    readings = await told(database, subject, 4)
    for reading in readings:
        async with database.connection() as one, database.connection() as two, database.connection() as three:
            pids = [c.info.backend_pid for c in (one, two, three)]
        async with await psycopg.AsyncConnection.connect(await database.uri(), autocommit=True) as outside:
            await outside.execute("select pg_terminate_backend(pid) from unnest(%s::int[]) as pid", (pids,))
        [outcome] = await committer.commit(subject, [reading], extractor="tests", now=NOW)
        assert type(outcome.decision).__name__ in ("Insert", "Replace")


async def test_what_fails_in_a_transaction_leaves_nothing_and_a_usable_connection(
    database: Database, committer: Committer, subject: Subject
) -> None:
    """Whether the body raises, a statement fails, or a failure was swallowed: rolled back, and told."""
    readings = await told(database, subject, 2)

    async def mark(connection: Connection) -> None:
        await connection.execute("insert into erased (subject, source) values (%s, 'x')", (subject_id(subject),))

    async def twice(connection: Connection) -> None:
        await mark(connection)
        await mark(connection)

    async def carelessly(connection: Connection) -> None:
        await mark(connection)
        with suppress(psycopg.errors.UniqueViolation):
            await (await connection.execute("insert into erased select * from erased returning 1")).fetchall()
        async with connection.pipeline():  # goes on as if nothing had been
            pass

    with pytest.raises(UnknownSource):
        await committer.commit(subject, [Reading("nobody said it")], extractor="tests", now=NOW, recording=mark)
    with pytest.raises(psycopg.errors.UniqueViolation):
        await within(database, twice)
    with pytest.raises(psycopg.errors.InFailedSqlTransaction, match="nothing was stored"):
        await within(database, carelessly)
    async with database.connection() as connection:
        found = await (await connection.execute("select count(*) as n from erased")).fetchone()
    assert found == {"n": 0}
    assert len(await committer.commit(subject, readings, extractor="tests", now=NOW)) == 2


async def within(database: Database, does: Callable[[Connection], Awaitable[None]]) -> None:
    async with database.connection() as connection, transaction(connection):
        await does(connection)


def test_floor_measures_both(database_uri: str) -> None:
    """A small run: the script says what the commit says, on both sides everything is stored."""
    result = floor.measure(database_uri, rounds=1, each=6, processes=1, parallel=(8,))
    assert result["round_trips"] <= 3
    assert result["ours_per_second"] > 0
    assert result["floor_per_second"] > 0
    assert result["ratio"] == pytest.approx(result["ours_per_second"] / result["floor_per_second"], abs=0.01)
    with psycopg.connect(database_uri, options="-c search_path=memory") as connection:
        stored = connection.execute(
            "select split_part(split_part(subject, '.', 2), '-', 1), count(*), count(distinct source) from ledger"
            " where subject ~ '(ours|floor)-8-' group by 1"
        ).fetchall()
        active = connection.execute(
            "select split_part(split_part(prefix, '.', 3), '-', 1), count(*) from store"
            " where prefix ~ '(ours|floor)-8-' group by 1"
        ).fetchall()
    assert {who: (rows, sources) for who, rows, sources in stored} == {"ours": (48, 6), "floor": (48, 6)}
    assert dict(active) == {"ours": 48, "floor": 48}


def test_scale_measures_both(database_uri: str) -> None:
    """A small run: both databases hold what they should, in the form in which the product writes it, and are sound."""
    sizes = {"small": 3, "large": 30}
    with scale.beside(database_uri) as large:
        for uri, subjects in zip((database_uri, large), sizes.values(), strict=True):
            asyncio.run(scale.fill(uri, subjects))
        problems = asyncio.run(problems_in(large))
        result = asyncio.run(scale.measure(database_uri, large, sizes, 8))
    assert problems == []
    assert (result["facts_small"], result["facts_large"]) == (30, 300)
    assert result["commit_ratio"] == pytest.approx(result["commit_ms_large"] / result["commit_ms_small"], rel=0.02)
    assert result["recall_ratio"] == pytest.approx(result["recall_ms_large"] / result["recall_ms_small"], rel=0.02)


async def problems_in(uri: str) -> list[str]:
    """What `python -m graph check` would say."""
    database = Database(uri)
    try:
        return await check(database, schema_of(scale.NAMES), now=NOW)
    finally:
        await database.close()
