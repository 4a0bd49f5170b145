"""The commit: one transaction for a batch of one subject. Gather under the lock, decide, apply; all or nothing.

Every write path of the product ends here (F8): the conversation, the background job, tools, reviewers, commands.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime

from trusted_memory.facts.acts import erase_batch, refresh_batch, settle_batch
from trusted_memory.facts.batch import Batch, Outcome, Reading, Seen, decide_batch
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.trim import reaching_back, trimmed
from trusted_memory.facts.words import Subject
from trusted_memory.storage.apply import apply
from trusted_memory.storage.erasure.remains import Remains
from trusted_memory.storage.erasure.seal import fingerprint, slot_attribute, tombstone
from trusted_memory.storage.gather import Question, gather
from trusted_memory.storage.ids import source_id, subject_id
from trusted_memory.storage.pool import Connection, Database, retrying, transaction
from trusted_memory.storage.sql import QUERIES

REVIEW, ERASURE, CLOCK = "review", "erasure", "clock"  # who reads, where no model does


Recording = Callable[[Connection], Awaitable[object]]  # what is written first, in the same transaction
Choose = Callable[[Connection], Awaitable[Collection[str]]]  # which sources are erased, found under the lock
Finish = Callable[[Remains], Awaitable[object]]  # what else goes, in the same transaction


class Committer:
    """Commits readings. `key` gives the deployment's secret for the fingerprints of erased sources."""

    def __init__(
        self, database: Database, schema: Schema, key: Callable[[], bytes], *, lock_timeout: float = 5.0
    ) -> None:
        self.database = database
        self.schema = schema
        self.key = key
        self.lock_timeout = lock_timeout

    async def commit(
        self,
        subject: Subject,
        readings: Sequence[Reading],
        *,
        extractor: str,
        now: datetime,
        recording: Recording | None = None,
    ) -> list[Outcome]:
        """Decide and apply what was read; one outcome a claim, in order. Transient faults are retried by name.

        `recording` writes the messages themselves first, where nobody has done so, in the same transaction.
        Raises UnknownSource where a message isn't in the subject's transcript: kind, origin and time come from there.
        """
        if not readings:
            return []
        stored = [_stored(r) for r in readings]
        return await self._transact(
            Question.about(subject, stored, extractor, self.schema),
            lambda seen: decide_batch(seen, stored, self.schema, now, extractor=extractor),
            reread=lambda seen: reaching_back(seen, stored, self.schema, extractor),
            recording=recording,
            now=now,
        )

    async def settle(
        self,
        subject: Subject,
        slot: str,
        retires: Sequence[tuple[str, int]],
        value: str | None,
        *,
        by: str,
        now: datetime,
        recording: Recording | None = None,
    ) -> list[Outcome]:
        """A reviewer's decision on a conflict. `by` is the settlement's own id, which `recording` writes down."""
        attribute = self.schema.get(slot_attribute(slot))
        read = attribute.read(value) if attribute and value is not None else None
        by, losers = source_id(by), [(source_id(source), ordinal) for source, ordinal in retires]
        sources = sorted({by, *(source for source, _ in losers)})
        return await self._transact(
            Question(subject, sources, {slot: {read[1]} if read else ()}, REVIEW, whole=[slot]),
            lambda seen: settle_batch(seen, slot, tuple(losers), value, by, self.schema, now),
            recording=recording,
            now=now,
        )

    async def refresh(self, subject: Subject, slots: Sequence[str], *, now: datetime) -> None:
        """Write the records of these slots as time has made them."""
        question = Question(subject, (), dict.fromkeys(slots, ()), CLOCK)
        await self._transact(question, lambda seen: refresh_batch(seen, self.schema, now), now=now)

    async def erase(
        self, subject: Subject, source: str | Choose, *, now: datetime, finish: Finish | None = None
    ) -> list[Outcome]:
        """Forget sources: what they alone said goes, what they shared loses support, redelivery stays a no-op.

        This reaches evidence, records, facts, ledger and transcript. `finish` does the rest in the same transaction:
        see erasure/erase.py, which is what a customer's request goes through.
        """
        async for attempt in retrying():
            with attempt:
                async with self.database.connection() as connection, connection.transaction():
                    await self._lock(connection, subject)
                    remains = await Remains.open(connection, self.key(), subject_id(subject))
                    sources = [source_id(source)] if isinstance(source, str) else await source(connection)
                    names = {s: tombstone(fingerprint(self.key(), s)) for s in sources}
                    gathered = await gather(connection, self.key(), Question(subject, list(names), gone=list(names)))
                    batch = erase_batch(gathered.seen, names, self.schema, now)
                    await remains.take_out(names)
                    slots = {"slots": sorted(batch.touched), "subject": subject_id(subject)}
                    await connection.execute(QUERIES["unbound"], slots)
                    await apply(connection, subject, batch, gathered, ERASURE, {})
                    await remains.seal()
                    if finish:
                        await finish(remains)
                    return batch.outcomes
        raise AssertionError("retrying returns or raises")

    async def _transact(
        self,
        question: Question,
        decided: Callable[[Seen], Batch],
        *,
        reread: Callable[[Seen], Sequence[str]] = lambda _: (),
        recording: Recording | None = None,
        now: datetime,
    ) -> list[Outcome]:
        """Gather, decide, apply, in one transaction; tried again on transient faults.

        `reread` names slots whose evidence is needed whole. An attempt whose COMMIT was not acknowledged may have
        succeeded: where everything is read by now, its outcomes stand, and nothing is written twice.
        """
        tried: Batch | None = None
        async for attempt in retrying():
            with attempt:
                async with (
                    self.database.connection() as connection,
                    transaction(connection),
                ):
                    await self._lock(connection, question.subject)
                    if recording:
                        async with connection.pipeline() as pipeline:
                            # Else psycopg does not know yet that a transaction is open: one inside would commit it.
                            await pipeline.sync()
                        await recording(connection)
                    gathered = await gather(connection, self.key(), question)
                    if slots := reread(gathered.seen):
                        gathered = await gather(connection, self.key(), replace(question, whole=slots))
                    if (
                        tried
                        and tried.read
                        and all(gathered.seen.read_by.get(source) == question.extractor for source in tried.read)
                    ):
                        return tried.outcomes
                    tried = decided(gathered.seen)
                    bound = trimmed(gathered.seen, tried, self.schema, now)
                    await apply(connection, question.subject, tried, gathered, question.extractor, bound)
                    return tried.outcomes
        raise AssertionError("retrying returns or raises")

    async def foresee(
        self, subject: Subject, readings: Sequence[Reading], *, extractor: str, now: datetime
    ) -> list[Outcome]:
        """What a commit would decide now, without the lock and without writing: advice, nothing more."""
        readings = [_stored(r) for r in readings]
        question = Question.about(subject, readings, extractor, self.schema)
        async with self.database.connection() as connection:
            seen = (await gather(connection, self.key(), question)).seen
            if slots := reaching_back(seen, readings, self.schema, extractor):
                seen = (await gather(connection, self.key(), replace(question, whole=slots))).seen
            return decide_batch(seen, readings, self.schema, now, extractor=extractor).outcomes

    async def _lock(self, connection: Connection, subject: Subject) -> None:
        timeout = f"{int(self.lock_timeout * 1000)}ms"
        await connection.execute(QUERIES["lock"], {"subject": subject_id(subject), "timeout": timeout})


def _stored(reading: Reading) -> Reading:
    """With ids as they are stored."""
    claims = tuple(replace(c, accepts=source_id(c.accepts)) if c.accepts else c for c in reading.claims)
    return Reading(source_id(reading.source), claims)
