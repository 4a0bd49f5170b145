"""Delivering events through the real commit path from worker processes, which may be killed at any moment.

The parent hands out chunks and is told when one is done; what a killed worker had not finished is delivered again.
"""

import asyncio
import multiprocessing
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

from trusted_memory.facts.batch import Reading
from trusted_memory.facts.schema import Attribute, Schema, schema
from trusted_memory.facts.words import Claim, SourceKind, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.pool import Database

KEY = b"a key for evaluations"
EXTRACTOR = "replay"
LANES = 4  # subjects that one worker serves at the same time
PATIENCE = 60.0  # seconds a commit may wait for its subject's lock


@dataclass(frozen=True, slots=True)
class Event:
    """One message and what a perfect extractor reads in it."""

    subject: Subject
    message: transcript.Message
    claims: tuple[Claim, ...]


Lane = Sequence[Event]  # delivered one after the other
Chunk = Sequence[Lane]  # lanes side by side


@dataclass(slots=True)
class Delivered:
    """What it took: commits that were acknowledged, seconds, workers killed."""

    commits: int = 0
    seconds: float = 0.0
    kills: int = 0


def names_of(lanes: Sequence[Lane]) -> list[str]:
    return sorted({claim.attribute for lane in lanes for event in lane for claim in event.claims})


def schema_of(names: Sequence[str]) -> Schema:
    """One plain attribute a key: the customer's latest word counts."""
    return schema(Attribute(name, name) for name in names)


async def tell(database: Database, committer: Committer, event: Event, now: datetime) -> None:
    """As the product does it: the message first, then what was read in it."""
    async with database.connection() as connection:
        await transcript.record(connection, event.subject, [event.message], KEY)
    await committer.commit(event.subject, [Reading(event.message.source, event.claims)], extractor=EXTRACTOR, now=now)


def _work(pipe: Pipe, uri: str, names: Sequence[str], now: datetime) -> None:
    async def serve() -> None:
        database = Database(uri, max_size=LANES + 1)
        committer = Committer(database, schema_of(names), lambda: KEY, lock_timeout=PATIENCE)

        async def walk(lane: Lane) -> None:
            for event in lane:
                await tell(database, committer, event, now)

        while (job := await asyncio.to_thread(pipe.recv)) is not None:
            number, chunk = cast(tuple[int, Chunk], job)
            await asyncio.gather(*map(walk, chunk))
            pipe.send((number, sum(map(len, chunk))))
        await database.close()

    asyncio.run(serve())


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Pipe
    doing: int | None = None


@dataclass(slots=True)
class Delivery:
    """All chunks to all workers; with `kills`, so many workers are killed at random moments, and replaced."""

    uri: str
    names: Sequence[str]
    now: datetime
    workers: int
    kills: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    _staff: list[_Worker] = field(default_factory=list)

    def run(self, chunks: Sequence[Chunk]) -> Delivered:
        todo = list(range(len(chunks)))
        done = Delivered()
        self._staff = [self._hire() for _ in range(self.workers)]
        begun = time.perf_counter()
        next_kill = begun + self.chance.uniform(0.5, 1.5)
        while todo or any(w.doing is not None for w in self._staff):
            for worker in self._staff:
                if worker.doing is None and todo:
                    worker.doing = todo.pop(0)
                    worker.pipe.send((worker.doing, chunks[worker.doing]))
            for ready in wait([w.pipe for w in self._staff], timeout=0.05):
                self._hear(next(w for w in self._staff if w.pipe is ready), todo, done)
            if done.kills < self.kills and time.perf_counter() > next_kill:
                todo += self._kill(self.chance.randrange(len(self._staff)))
                done.kills += 1
                next_kill = time.perf_counter() + self.chance.uniform(0.05, 0.6)
                if not todo and done.kills < self.kills:  # deliver some of it again: there is killing left to do
                    todo.append(self.chance.randrange(len(chunks)))
        done.seconds = time.perf_counter() - begun
        for worker in self._staff:
            worker.pipe.send(None)
            worker.process.join(10)
        return done

    def _hear(self, worker: _Worker, todo: list[int], done: Delivered) -> None:
        try:
            _, commits = worker.pipe.recv()
        except EOFError as error:
            raise RuntimeError("a worker failed; its error is above") from error
        done.commits += commits
        worker.doing = None
        if not todo and done.kills < self.kills:
            todo.append(self.chance.randrange(max(1, len(todo) + 1)))

    def _hire(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self.uri, self.names, self.now), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _kill(self, place: int) -> list[int]:
        """SIGKILL; what it was doing is to be delivered again."""
        worker = self._staff[place]
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        self._staff[place] = self._hire()
        return [] if worker.doing is None else [worker.doing]


def message_at(
    source: str, thread: str, kind: SourceKind, place: int, text: str, start: datetime
) -> transcript.Message:
    """A message whose position in its dialogue is its time."""
    origin = "customer" if kind == "user" else kind
    return transcript.Message(source, thread, kind, origin, start + timedelta(seconds=place), text)


def together(lanes: Sequence[Lane], size: int) -> list[Chunk]:
    return [lanes[at : at + size] for at in range(0, len(lanes), size)]


def arrange(dialogues: Mapping[str, Lane], mode: str, workers: int, chance: random.Random) -> list[Chunk]:
    """Who is told what in which order.

    in-order: each dialogue as it was; twice: every event twice in a row; late: each dialogue, then all of it again;
    shuffled: each dialogue in any order; interleaved: the events of all dialogues mixed over all workers.
    """
    lanes: list[list[Event]] = [list(lane) for lane in dialogues.values() if lane]
    match mode:
        case "twice":
            lanes = [[e for event in lane for e in (event, event)] for lane in lanes]
        case "late":
            lanes = [lane + lane for lane in lanes]
        case "shuffled":
            lanes = [chance.sample(lane, len(lane)) for lane in lanes]
        case "interleaved":
            mixed = [event for lane in lanes for event in lane]
            chance.shuffle(mixed)
            lanes = [mixed[at : at + 25] for at in range(0, len(mixed), 25)]
    return together(lanes, LANES)


Result = dict[str, Any]
