"""Events on their way into memory: recorded in the transcript with their job, as a turn's intake does it."""

import asyncio
from datetime import UTC, datetime

from evals.scenarios.events import Said, Told
from graph.deps import Deps
from trusted_memory.facts.words import CUSTOMER, Subject
from trusted_memory.storage import jobs, transcript
from trusted_memory.storage.transcript import Message

UNFINISHED = """
    select (select count(*) from transcript where kind = 'user' and extractor is null) as unread,
           (select count(*) from procrastinate_jobs where status in ('todo', 'doing') and task_name = %(task)s) as jobs,
           (select count(*) from procrastinate_jobs where status = 'failed') as failed"""


class Stuck(RuntimeError):
    """Background reading came to an end that is none."""


def subject_of(number: int, group: str = "customer") -> Subject:
    return Subject("evals", f"{group}-{number}")


async def deliver(deps: Deps, subject: Subject, thread: str, said: Said) -> None:
    """One delivery of a customer's message."""
    message = Message(said.id, thread, "user", CUSTOMER, said.at, said.text)
    async with deps.database.connection() as connection, connection.transaction():
        if await transcript.record(connection, subject, [message], deps.key):
            await jobs.defer(connection, subject)


async def tell_wrongly(deps: Deps, subject: Subject, thread: str, told: Told) -> None:
    """What the assistant says without anybody having asked for it."""
    message = Message(told.id, thread, "assistant", "assistant", datetime.now(UTC), told.text)
    async with deps.database.connection() as connection:
        await transcript.record(connection, subject, [message], deps.key)


async def drained(deps: Deps, *, patience: float = 1_800) -> None:
    """Returns once nothing is left to read. Raises Stuck when a job has failed, or time is up."""
    async with asyncio.timeout(patience):
        while True:
            async with deps.database.connection() as connection:
                row = await (await connection.execute(UNFINISHED, {"task": jobs.READ})).fetchone()
            if row and row["failed"]:
                raise Stuck(f"{row['failed']} jobs have failed; see `python -m graph jobs`")
            if row and not row["unread"] and not row["jobs"]:
                return
            await asyncio.sleep(0.2)
