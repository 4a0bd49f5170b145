"""The background half of memory: reads what the conversation did not have to wait for, and sweeps up."""

import asyncio
import logging
from datetime import UTC, datetime

from graph.context import Caller
from graph.core.words import Subject
from graph.deps import Deps
from graph.graph import memory
from graph.nodes.relevant import index_facts
from graph.storage import jobs, transcript
from graph.storage.checkpointer import retain
from graph.storage.ids import subject_of

log = logging.getLogger(__name__)
LEFT_OVER = 60.0  # seconds after which an unread message without a job is swept up


class ReadingFailed(RuntimeError):
    """The background could not read a message; the job is retried, then kept as failed with this reason."""


async def read_subject(deps: Deps, subject: Subject) -> None:
    """Read everything unread of the subject, a batch at a time. Raises ReadingFailed if something is left unread.

    Then the conversations it was said in keep their newest checkpoints only.
    """
    graph, threads, failed = memory(deps).compile(), set[str](), dict[str, str]()
    while True:
        async with deps.database.connection() as connection:
            unread = await transcript.unread(connection, subject, most=50 + len(failed))
            threads |= {row["thread"] for row in unread}
            rows = [row for row in unread if row["source"] not in failed]
            if not rows:
                await retain(connection, sorted(threads), deps.settings.checkpoints_kept)
                break
        waited = (datetime.now(UTC) - rows[0]["recorded_at"]).total_seconds()
        if waited > deps.settings.lag_warning_seconds:
            log.warning("memory lags: the oldest unread message has waited %.0f s", waited)
        turn = (await graph.ainvoke({"turn": {"failed": failed}}, context=Caller(subject=subject)))["turn"]
        if not turn["read"] and turn["failed"] == failed:
            raise ReadingFailed("nothing was read")
        failed = turn["failed"]
    await index_facts(deps, subject)
    if failed:
        raise ReadingFailed("; ".join(f"message {source}: {why}" for source, why in failed.items()))


async def sweep(deps: Deps) -> None:
    """What nothing else looks after: jobs of killed workers, messages without a job, facts that time has changed."""
    now = datetime.now(UTC)
    async with deps.database.connection() as connection:
        revived = await jobs.revive_stalled(connection)
        left = await jobs.leftovers(connection, older_than=LEFT_OVER)
        for subject in left:
            await jobs.defer(connection, subject)
        due = await jobs.due(connection, now)
    for sid, slots in due.items():
        await deps.committer.refresh(subject_of(sid), slots, now=now)
    if revived or left or due:
        log.info("swept: %d jobs revived, %d subjects with leftovers, %d with due facts", revived, len(left), len(due))


async def worker(deps: Deps, *, wait: bool = True) -> None:
    """Run background reading until cancelled; with `wait=False`, until nothing is left to do."""
    await deps.database.pool()  # migrates first
    await jobs.work(deps.database, lambda subject: read_subject(deps, subject), lambda: sweep(deps), wait=wait)


async def keep_working(deps: Deps) -> None:
    """The worker of a host: a database that is away for a while must not end background reading for good."""
    while True:
        try:
            await worker(deps)
        except Exception:
            log.exception("the background worker stopped; it starts again in 5 s")
        await asyncio.sleep(5)
