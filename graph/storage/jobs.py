"""Background jobs with procrastinate: deferred in the transaction that records a message, one subject at a time.

One job reads everything unread of its subject. A backlog of many jobs under one lock would crawl (each waits for the
poll), so jobs of a subject that still wait are one job: that is the queueing lock.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import procrastinate
from procrastinate.exceptions import AlreadyEnqueued

from graph.core.words import Subject
from graph.storage.pool import Connection, connection_options, subject_id

POLL = 0.5  # seconds; the default of 5 s lets a backlog crawl
TASK = "memory.read_subject"


def make_app() -> procrastinate.App:
    """The job queue. It is opened by the worker alone; deferring uses the caller's connection."""
    return procrastinate.App(connector=procrastinate.PsycopgConnector())


async def defer(app: procrastinate.App, connection: Connection, subject: Subject) -> None:
    """Have the subject's unread messages read, once this transaction is committed."""
    sid = subject_id(subject)
    job = app.configure_task(
        TASK, allow_unknown=True, lock=sid, queueing_lock=sid, connection=connection
    )
    try:
        async with connection.transaction():  # a savepoint: the outer transaction outlives the refusal
            await job.defer_async(tenant=subject.tenant, user=subject.user)
    except AlreadyEnqueued:
        pass


@asynccontextmanager
async def open_app(uri: str) -> AsyncIterator[procrastinate.App]:
    options = connection_options()
    connector = procrastinate.PsycopgConnector(
        conninfo=uri, min_size=1, max_size=5, kwargs={"options": options["options"]}
    )
    async with procrastinate.App(connector=connector).open_async() as app:
        yield app


async def work(uri: str, read: Callable[[Subject], Awaitable[None]], *, concurrency: int = 4, wait: bool = True) -> None:
    """Run the worker until it is cancelled; with `wait=False`, until the queue is empty."""
    async with open_app(uri) as app:
        retry = procrastinate.RetryStrategy(max_attempts=5, exponential_wait=3)

        @app.task(name=TASK, retry=retry)
        async def read_subject(tenant: str, user: str) -> None:
            await read(Subject(tenant, user))

        await app.run_worker_async(
            concurrency=concurrency,
            wait=wait,
            fetch_job_polling_interval=POLL,
            install_signal_handlers=False,
            delete_jobs="successful",
            shutdown_graceful_timeout=20,
        )
