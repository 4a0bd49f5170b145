"""The background half of memory: reads what the conversation did not have to wait for, and sweeps up."""

import asyncio
import logging
from datetime import UTC, datetime

from trusted_memory.facts.words import Subject
from trusted_memory.hosts.application import Application
from trusted_memory.service.memory import Memory
from trusted_memory.storage import jobs, transcript
from trusted_memory.storage.checkpointer import retain
from trusted_memory.storage.ids import subject_of

log = logging.getLogger(__name__)
LEFT_OVER = 60.0  # seconds after which an unread message without a job is swept up


class ReadingFailed(RuntimeError):
    """The background could not read a message; the job is retried, then kept as failed with this reason."""


async def read_subject(application: Application, subject: Subject) -> None:
    """Read everything unread of the subject, a batch at a time. Raises ReadingFailed if something is left unread.

    Then the conversations it was said in keep their newest checkpoints only.
    """
    memory, threads, failed = application.memory, set[str](), dict[str, str]()
    while True:
        async with memory.database.connection() as connection:
            unread = await transcript.unread(connection, subject, most=50 + len(failed))
            threads |= {row["thread"] for row in unread}
            rows = [row for row in unread if row["source"] not in failed]
            if not rows:
                await retain(connection, sorted(threads), application.checkpoints_kept)
                break
        waited = (datetime.now(UTC) - rows[0]["recorded_at"]).total_seconds()
        if waited > application.lag_warning_seconds:
            log.warning("memory lags: the oldest unread message has waited %.0f s", waited)
        asked = {"turn": {"failed": failed}}
        turn = (await application.reading.ainvoke(asked, context=application.caller(subject)))["turn"]
        if not turn["read"] and turn["failed"] == failed:
            raise ReadingFailed("nothing was read")
        failed = turn["failed"]
    await memory.index(subject)
    if failed:
        raise ReadingFailed("; ".join(f"message {source}: {why}" for source, why in failed.items()))


async def sweep(memory: Memory) -> None:
    """What nothing else looks after: jobs of killed workers, messages without a job, facts that time has changed."""
    now = datetime.now(UTC)
    async with memory.database.connection() as connection:
        revived = await jobs.revive_stalled(connection)
        left = await jobs.leftovers(connection, older_than=LEFT_OVER)
        for subject in left:
            await jobs.defer(connection, subject)
        due = await jobs.due(connection, now)
    for sid, slots in due.items():
        await memory.committer.refresh(subject_of(sid), slots, now=now)
    if revived or left or due:
        log.info("swept: %d jobs revived, %d subjects with leftovers, %d with due facts", revived, len(left), len(due))


async def worker(application: Application, *, wait: bool = True) -> None:
    """Run background reading until cancelled; with `wait=False`, until nothing is left to do."""
    memory = application.memory
    await memory.database.pool()  # migrates first
    await jobs.work(
        memory.database, lambda subject: read_subject(application, subject), lambda: sweep(memory), wait=wait
    )


async def keep_working(application: Application) -> None:
    """The worker of a host: a database that is away for a while must not end background reading for good."""
    while True:
        try:
            await worker(application)
        except Exception:
            log.exception("the background worker stopped; it starts again in 5 s")
        await asyncio.sleep(5)
