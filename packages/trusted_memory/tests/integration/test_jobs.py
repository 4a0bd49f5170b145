"""Jobs that are deferred with the message, and connections as the pool hands them out."""

from datetime import UTC, datetime
from typing import Any

import procrastinate
from psycopg import sql

from trusted_memory.facts.words import Subject
from trusted_memory.storage import jobs, transcript
from trusted_memory.storage.pool import Connection, Database, connection_options, subject_id, transaction

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = b"a key of the tests"
FETCH = (
    "select id from procrastinate_fetch_job_v2(null, (select max(id) from procrastinate_workers)) where id is not null"
)


async def say(connection: Connection, subject: Subject, name: str) -> None:
    message = transcript.Message(name, "thread", "user", "customer", NOW, "Please come in the morning.")
    await transcript.write(connection, subject, [message], KEY)
    await jobs.defer(connection, subject)


async def rows(connection: Connection, query: str) -> list[Any]:
    return await (await connection.execute(query.encode())).fetchall()


async def test_a_job_is_what_the_library_itself_would_have_made_of_it(database: Database, subject: Subject) -> None:
    """Our SQL calls procrastinate's function; a change of what it wants must not go unnoticed."""
    made = "select to_jsonb(j) - 'id' as job from procrastinate_jobs j"
    async with database.connection() as connection:
        async with transaction(connection):
            await say(connection, subject, "m1")
        [ours] = await rows(connection, made)
        await connection.execute("delete from procrastinate_jobs")
        options = {"options": connection_options()["options"]}
        connector = procrastinate.PsycopgConnector(conninfo=await database.uri(), kwargs=options)
        async with procrastinate.App(connector=connector).open_async() as app:
            sid = subject_id(subject)
            task = app.configure_task(jobs.READ, allow_unknown=True, lock=sid, queueing_lock=sid)
            await task.defer_async(tenant=subject.tenant, user=subject.user)
        assert await rows(connection, made) == [ours]


async def test_one_waiting_job_is_enough_and_none_is_made_where_nothing_is_unread(
    database: Database, subject: Subject
) -> None:
    """Redeliveries and quick talkers don't pile up jobs."""
    async with database.connection() as connection:
        for name in ("m1", "m2", "m3", "m3"):
            async with transaction(connection):
                await say(connection, subject, name)
        assert len(await rows(connection, "select from procrastinate_jobs")) == 1
        await connection.execute("update transcript set extractor = 'tests'")
        await connection.execute("delete from procrastinate_jobs")
        async with transaction(connection):
            await say(connection, subject, "m3")
        assert not await rows(connection, "select from procrastinate_jobs")


async def test_a_message_that_is_not_committed_has_no_job(database: Database, subject: Subject) -> None:
    """Message and job are one transaction."""
    async with database.connection() as connection:
        try:
            async with transaction(connection):
                await say(connection, subject, "m1")
                await connection.execute("select 1/0")
        except Exception:  # noqa: BLE001, S110 - whatever ends the transaction
            pass
    async with database.connection() as connection:
        assert not await rows(connection, "select from procrastinate_jobs")


async def test_a_waiting_job_does_not_start_before_the_message_is_there(database: Database, subject: Subject) -> None:
    """Else it would read without it, and the message would have no job."""
    async with database.connection() as first, database.connection() as second, database.connection() as worker:
        await worker.execute("insert into procrastinate_workers default values")
        async with transaction(first):
            await say(first, subject, "m1")
        async with transaction(second):
            await say(second, subject, "m2")
            await rows(second, "select 1")  # everything so far has been done by the server
            assert not await rows(worker, FETCH)
        [job] = await rows(worker, FETCH)
        async with transaction(second):  # while it runs, a new one is made
            await say(second, subject, "m3")
        assert [row["id"] for row in await rows(worker, "select id from procrastinate_jobs where status = 'todo'")] != [
            job["id"]
        ]


async def test_a_connection_that_the_server_dropped_is_replaced(database: Database) -> None:
    """Its good-bye is seen before anybody uses the connection, without a round trip."""
    async with database.connection() as connection:
        [mine] = await rows(connection, "select pg_backend_pid() as pid")
        async with database.connection() as other:
            await other.execute("select pg_terminate_backend(%s, 5000)", (mine["pid"],))
    async with database.connection() as one, database.connection() as two:
        pids = [(await rows(c, "select pg_backend_pid() as pid"))[0]["pid"] for c in (one, two)]
    assert mine["pid"] not in pids


async def test_a_job_that_a_turn_makes_needless_waits_until_somebody_else_needs_it(
    database: Database, subject: Subject
) -> None:
    """A turn that reads its message itself puts the job off; the next message that is not read at once needs it now."""
    due = "select scheduled_at is null as now from procrastinate_jobs where status = 'todo'"
    message = transcript.Message("m0", "thread", "user", "customer", NOW, "Correction: evenings.")
    async with database.connection() as connection:
        async with transaction(connection):
            await transcript.write(connection, subject, [message], KEY)
            await jobs.defer(connection, subject, after=30)
        assert [row["now"] for row in await rows(connection, due)] == [False]
        async with transaction(connection):
            await say(connection, subject, "m1")
        assert [row["now"] for row in await rows(connection, due)] == [True]
        async with transaction(connection):
            await jobs.defer(connection, subject, after=30)
        assert [row["now"] for row in await rows(connection, due)] == [True]


async def test_a_stricter_default_of_the_database_changes_nothing(database: Database) -> None:
    """Under repeatable read a job that was made meanwhile would be invisible for ever; the pool says what it needs."""
    async with database.connection() as connection:
        [name] = await rows(connection, "select current_database() as name")
        await strict(connection, name["name"])
    other = Database(await database.uri())
    async with other.connection() as connection:
        [shown] = await rows(connection, "show transaction_isolation")
    await other.close()
    assert shown["transaction_isolation"] == "read committed"


async def strict(connection: Connection, name: str) -> None:
    query = sql.SQL("alter database {} set default_transaction_isolation to 'repeatable read'")
    await connection.execute(query.format(sql.Identifier(name)))
