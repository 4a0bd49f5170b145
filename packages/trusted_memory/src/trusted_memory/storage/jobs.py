"""Background jobs with procrastinate: deferred in the transaction that records a message, one subject at a time.

One job reads everything unread of its subject. A backlog of many jobs under one lock would crawl (each waits for the
poll), so jobs of a subject that still wait are one job: that is the queueing lock.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import procrastinate

from trusted_memory.facts.words import Subject
from trusted_memory.storage.ids import subject_of
from trusted_memory.storage.pool import Connection, Database, connection_options, subject_id
from trusted_memory.storage.sql import jsonb, named

JOBS = named("jobs.sql")
POLL = 0.5  # seconds; the default of 5 s lets a backlog crawl
# Jobs at a time; they wait for the model most of the time. With 4, and a model that takes 1 s, 4.6 messages a second
# piled up (said to stored: p95 55 s). The model's server and the pool of connections are the limit, not this.
CONCURRENCY = 16
OPENING = 5  # seconds that a pool may still take to open once nobody wants it any more
DRAIN = 20  # seconds that running jobs have to end when the worker is stopped
READ, SWEEP = "memory.read_subject", "memory.sweep"


async def defer(connection: Connection, subject: Subject, *, after: float = 0) -> None:
    """Have the subject's unread messages, if there are any, read once this transaction is committed.

    `after` so many seconds, where a turn reads them itself: else both would ask the model. Until then nothing waits
    for that job: the next message that needs one brings it forward.
    """
    params = {
        "reader": READ, "subject": subject_id(subject), "seconds": after,
        "arguments": jsonb({"tenant": subject.tenant, "user": subject.user}),
    }  # fmt: skip
    await connection.execute(JOBS["defer"], params)


async def leftovers(connection: Connection, *, older_than: float) -> list[Subject]:
    """Subjects with messages unread for so many seconds and no job at work on them, waiting, or just failed."""
    rows = await (await connection.execute(JOBS["leftovers"], {"seconds": older_than})).fetchall()
    return [subject_of(row["subject"]) for row in rows]


async def due(connection: Connection, now: datetime) -> dict[str, list[str]]:
    """Slots whose answer may have changed by time alone: subject id → slots."""
    rows = await (await connection.execute(JOBS["due"], {"now": now})).fetchall()
    return {row["subject"]: row["slots"] for row in rows}


async def lag(connection: Connection, *, minutes: int = 60) -> dict[str, Any]:
    """Seconds from said to stored over the last minutes (p50, p95), and what waits: messages, jobs by status."""
    row = await (await connection.execute(JOBS["lag"], {"minutes": minutes})).fetchone()
    return dict(row or {})


async def failed(connection: Connection, *, most: int = 50) -> list[dict[str, Any]]:
    """Failed jobs, newest first: whose, when, how often tried, and what was wrong the last time."""
    return await (await connection.execute(JOBS["failed"], {"most": most})).fetchall()


async def retry_failed(connection: Connection) -> int:
    """Put every failed job back into the queue; returns how many."""
    return (await connection.execute(JOBS["retry_failed"])).rowcount


async def revive_stalled(connection: Connection, *, silent_for: float = 30) -> int:
    """Jobs whose worker was killed go back into the queue; it says so by its missing heartbeat."""
    return (await connection.execute(JOBS["revive_stalled"], {"seconds": silent_for})).rowcount


@asynccontextmanager
async def _open(uri: str) -> AsyncIterator[procrastinate.App]:
    connector = procrastinate.PsycopgConnector(
        conninfo=uri, min_size=1, max_size=6, kwargs={"options": connection_options()["options"]}
    )
    app = procrastinate.App(connector=connector)
    # Cancelled while it opens, the pool would be left behind half open, and its tasks keep the event loop from ending.
    opening = asyncio.ensure_future(connector.open_async())
    try:
        await asyncio.shield(opening)
        yield app
    finally:
        await asyncio.wait({opening}, timeout=OPENING)
        opening.cancel()
        await app.close_async()


async def work(
    database: Database,
    read: Callable[[Subject], Awaitable[None]],
    sweep: Callable[[], Awaitable[None]],
    *,
    concurrency: int = CONCURRENCY,
    wait: bool = True,
) -> None:
    """Run the worker until it is cancelled; with `wait=False`, until the queue is empty."""
    async with _open(await database.uri()) as app:

        @app.task(name=READ, pass_context=True, retry=procrastinate.RetryStrategy(max_attempts=5, exponential_wait=3))
        async def read_subject(context: procrastinate.JobContext, tenant: str, user: str, problem: str = "") -> None:
            # A job that failed and still had its queueing lock could not go back into the queue once another one
            # waits there: procrastinate 3.10 leaves it in `doing`, and it holds the subject's lock for ever.
            async with database.connection() as connection:
                await connection.execute(JOBS["release_queueing_lock"], {"job": context.job.id})
            try:
                await read(Subject(tenant, user))
            except Exception as error:
                why = {"job": context.job.id, "problem": f"{type(error).__name__}: {error}"[:2000]}
                async with database.connection() as connection:
                    await connection.execute(JOBS["remember_problem"], why)
                raise

        @app.periodic(cron="* * * * *")
        @app.task(name=SWEEP, queueing_lock=SWEEP, lock=SWEEP)
        async def swept(timestamp: int) -> None:
            await sweep()

        await sweep()
        await app.run_worker_async(
            concurrency=concurrency,
            wait=wait,
            fetch_job_polling_interval=POLL,
            install_signal_handlers=False,
            delete_jobs="successful",
            shutdown_graceful_timeout=DRAIN,
        )
