"""The background half of memory: a worker that reads what the conversation did not have to wait for."""

import logging

from graph.context import Caller
from graph.core.words import Subject
from graph.deps import Deps
from graph.graph import memory
from graph.storage import transcript
from graph.storage.jobs import work

log = logging.getLogger(__name__)


class ReadingFailed(RuntimeError):
    """The background could not read a message; the job is retried, then kept as failed with this reason."""


async def read_subject(deps: Deps, subject: Subject) -> None:
    """Read everything unread of the subject, a batch at a time. Raises ReadingFailed when a batch makes no progress."""
    graph = memory(deps).compile()
    while True:
        async with deps.database.connection() as connection:
            if not await transcript.unread(connection, subject, most=1):
                return
        result = await graph.ainvoke({"turn": {}}, context=Caller(subject=subject))
        turn = result["turn"]
        if not turn.get("read"):
            raise ReadingFailed(turn.get("problem") or "nothing was read")


async def worker(deps: Deps, *, wait: bool = True) -> None:
    """Run background reading until cancelled; with `wait=False`, until nothing is left to do."""
    await deps.database.pool()  # migrates first
    await work(await deps.database.uri(), lambda subject: read_subject(deps, subject), wait=wait)
