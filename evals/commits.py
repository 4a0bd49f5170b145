"""Commits through the product, as fast as it can, by some customers at the same time; each has one claim."""

import asyncio
import multiprocessing
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection as Pipe

from evals.deliver import KEY, schema_of
from trusted_memory.facts.batch import Reading
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.pool import Database

NOW = datetime(2027, 1, 1, tzinfo=UTC)
TENANT, EXTRACTOR = "floor", "floor"
FACTS = 40  # of a customer; each is corrected a few times
NAMES = [f"fact {place}" for place in range(FACTS)]


@dataclass(frozen=True, slots=True)
class Load:
    """One measured run: `each` commits by each of some customers at the same time, who are called prefix + number."""

    prefix: str
    subjects: int
    each: int


def message(number: int | str) -> transcript.Message:
    said = NOW + timedelta(seconds=number if isinstance(number, int) else FACTS)
    return transcript.Message(f"message {number}", "thread", "user", "customer", said, f"It is value {number}.")


def reading(number: int | str, place: int | str) -> Reading:
    claim = Claim(f"fact {place}", f"value {number}", f"value {number}", "correct")
    return Reading(f"message {number}", (claim,))


@asynccontextmanager
async def committing(uri: str, names: Sequence[str]) -> AsyncIterator[tuple[Database, Committer]]:
    opened = Database(uri)
    try:
        yield opened, Committer(opened, schema_of(names), lambda: KEY)
    finally:
        await opened.close()


@contextmanager
def staff(uri: str, processes: int) -> Iterator[Callable[[Load], float]]:
    """Separate processes that stay, as a server's do. Given a load, they tell how many commits a second they made.

    The clock starts once all are connected.
    """
    context = multiprocessing.get_context("spawn")
    pipes, workers = [], []
    for _ in range(processes):
        here, there = context.Pipe()
        workers.append(context.Process(target=_serve, args=(there, uri), daemon=True))
        workers[-1].start()
        there.close()
        pipes.append(here)

    def run(load: Load) -> float:
        for number, pipe in enumerate(pipes):
            pipe.send((load, range(number, load.subjects, processes)))
        for pipe in pipes:
            pipe.recv()
        begun = time.perf_counter()
        for pipe in pipes:
            pipe.send("go")
        for pipe in pipes:
            pipe.recv()
        return load.subjects * load.each / (time.perf_counter() - begun)

    try:
        yield run
    finally:
        for pipe, worker in zip(pipes, workers, strict=True):
            pipe.close()
            worker.join(10)


def _serve(pipe: Pipe, uri: str) -> None:
    async def lane(committer: Committer, load: Load, number: int) -> None:
        subject = Subject(TENANT, f"{load.prefix}{number}")
        for n in range(load.each):
            await committer.commit(subject, [reading(n, n % FACTS)], extractor=EXTRACTOR, now=NOW)

    async def connect(opened: Database, together: asyncio.Barrier) -> None:
        async with opened.connection():
            await together.wait()

    async def serve() -> None:
        async with committing(uri, NAMES) as (opened, committer):
            while True:
                load, lanes = pipe.recv()
                together = asyncio.Barrier(len(lanes))
                await asyncio.gather(*(connect(opened, together) for _ in lanes))
                pipe.send("ready")
                pipe.recv()
                await asyncio.gather(*(lane(committer, load, number) for number in lanes))
                pipe.send("done")

    with suppress(EOFError):  # no more to do
        asyncio.run(serve())
