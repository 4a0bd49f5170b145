"""The commit: one transaction for a batch of one subject. Gather under the lock, decide, apply; all or nothing.

Every write path of the product ends here (F8): the conversation, the background job, tools, reviewers, commands.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from graph.core.batch import (
    Batch,
    Outcome,
    Reading,
    Seen,
    decide_batch,
    erase_batch,
    refresh_batch,
    settle_batch,
    slot_of,
)
from graph.core.schema import Schema
from graph.core.words import Subject
from graph.storage.pool import Connection, Database, retrying, subject_id
from graph.storage.remains import Remains
from graph.storage.rows import by_slot, fact_value, ledger_row, record_row, statement_row, to_source
from graph.storage.seal import Seals, fingerprint, slot_attribute, tombstone
from graph.storage.sql import QUERIES

REVIEW, ERASURE, CLOCK = "review", "erasure", "clock"  # who reads, where no model does


Recording = Callable[[Connection], Awaitable[object]]  # what is written first, in the same transaction
Choose = Callable[[Connection], Awaitable[Collection[str]]]  # which sources are erased, found under the lock
Finish = Callable[[Remains], Awaitable[object]]  # what else goes, in the same transaction


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was read under the lock. `opened` are sealed tombstones that are about values named here."""

    seen: Seen
    revisions: dict[str, int]
    opened: list[dict[str, Any]]


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
        sources, slots = self._named(readings)
        return await self._transact(
            subject, sources, slots, extractor,
            lambda seen: decide_batch(seen, readings, self.schema, now, extractor=extractor), recording,
        )  # fmt: skip

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
        return await self._transact(
            subject, [by], {slot: {read[1]} if read else ()}, REVIEW,
            lambda seen: settle_batch(seen, slot, tuple(retires), value, by, self.schema, now), recording,
        )  # fmt: skip

    async def refresh(self, subject: Subject, slots: Sequence[str], *, now: datetime) -> None:
        """Write the records of these slots as time has made them."""
        named: dict[str, Collection[str]] = dict.fromkeys(slots, ())
        await self._transact(subject, [], named, CLOCK, lambda seen: refresh_batch(seen, self.schema, now))

    async def erase(
        self, subject: Subject, source: str | Choose, *, now: datetime, finish: Finish | None = None
    ) -> list[Outcome]:
        """Forget sources: what they alone said goes, what they shared loses support, redelivery stays a no-op.

        This reaches evidence, records, facts, ledger and transcript. `finish` does the rest in the same transaction:
        see erasure.py, which is what a customer's request goes through.
        """
        async for attempt in retrying():
            with attempt:
                async with self.database.connection() as connection, connection.transaction():
                    await self._lock(connection, subject)
                    remains = await Remains.open(connection, self.key(), subject_id(subject))
                    sources = [source] if isinstance(source, str) else await source(connection)
                    names = {s: tombstone(fingerprint(self.key(), s)) for s in sources}
                    gathered = await self._gather(connection, subject, list(names), {})
                    batch = erase_batch(gathered.seen, names, self.schema, now)
                    await remains.take_out(names)
                    await self._apply(connection, subject, batch, gathered, ERASURE)
                    await remains.seal()
                    if finish:
                        await finish(remains)
                    return batch.outcomes
        raise AssertionError("retrying returns or raises")

    async def _transact(
        self,
        subject: Subject,
        sources: list[str],
        slots: Mapping[str, Collection[str]],
        extractor: str,
        decided: Callable[[Seen], Batch],
        recording: Recording | None = None,
    ) -> list[Outcome]:
        """Gather, decide, apply, in one transaction; tried again on transient faults."""
        async for attempt in retrying():
            with attempt:
                async with self.database.connection() as connection, connection.pipeline(), connection.transaction():
                    await self._lock(connection, subject)
                    if recording:
                        await recording(connection)
                    gathered = await self._gather(connection, subject, sources, slots)
                    batch = decided(gathered.seen)
                    await self._apply(connection, subject, batch, gathered, extractor)
                    return batch.outcomes
        raise AssertionError("retrying returns or raises")

    async def foresee(
        self, subject: Subject, readings: Sequence[Reading], *, extractor: str, now: datetime
    ) -> list[Outcome]:
        """What a commit would decide now, without the lock and without writing: advice, nothing more."""
        sources, slots = self._named(readings)
        async with self.database.connection() as connection, connection.pipeline():
            seen = (await self._gather(connection, subject, sources, slots)).seen
            return decide_batch(seen, readings, self.schema, now, extractor=extractor).outcomes

    def _named(self, readings: Sequence[Reading]) -> tuple[list[str], dict[str, set[str]]]:
        """The sources that readings are about, and the slots with the values that they name."""
        claims = [c for r in readings for c in r.claims]
        slots: dict[str, set[str]] = {}
        for claim in claims:
            slot, attribute = slot_of(claim, self.schema), self.schema.get(claim.attribute)
            if slot and attribute:
                read = attribute.read(claim.value) if claim.value is not None else None
                slots.setdefault(slot, set()).update({read[1]} if read else ())
        return list({r.source for r in readings} | {c.accepts for c in claims if c.accepts}), slots

    async def _lock(self, connection: Connection, subject: Subject) -> None:
        timeout = f"{int(self.lock_timeout * 1000)}ms"
        await connection.execute(QUERIES["lock"], {"subject": subject_id(subject), "timeout": timeout})

    async def _gather(
        self, connection: Connection, subject: Subject, sources: list[str], slots: Mapping[str, Collection[str]]
    ) -> Gathered:
        """Everything the decisions depend on, in one round trip; read after the lock was granted, where one is held."""
        secret, sid = self.key(), subject_id(subject)
        hashes = {fingerprint(secret, source): source for source in sources}
        params = {"subject": sid, "sources": sources, "hashes": list(hashes), "slots": list(slots)}
        cursors = [await connection.execute(QUERIES[name], params) for name in ("sources", "erased", "evidence")]
        said, erased, statements = [await cursor.fetchall() for cursor in cursors]
        evidence, opened = Seals(secret, sid).opened(statements, slots)
        seen = Seen(
            {row["source"]: to_source(row) for row in said},
            {row["source"]: row["extractor"] for row in said},
            {hashes[row["source"]]: tombstone(row["source"]) for row in erased},
            by_slot(evidence),
        )
        return Gathered(seen, {row["slot"]: row["revision"] or 0 for row in evidence}, opened)

    async def _apply(
        self, connection: Connection, subject: Subject, batch: Batch, gathered: Gathered, extractor: str
    ) -> None:
        """One round trip, in which the transaction's own commit travels too."""
        sid = subject_id(subject)
        prefix = f"facts.{sid}"
        records = {slot: batch.records[slot] for slot in batch.changed}
        revised = {slot: gathered.revisions.get(slot, 0) + 1 for slot in records}
        added = {(s.slot, s.key) for s, _ in batch.added}
        opened = [row for row in gathered.opened if (row["slot"], row["key"]) in added]
        facts = [
            {"key": slot, "value": fact_value(record, revised[slot])}
            for slot, record in records.items()
            if record and record.status == "active"
        ]
        gone = list(records.keys() - {fact["key"] for fact in facts})
        writes: list[tuple[str, dict[str, Any], Any]] = [
            ("end_statements", {"sources": batch.anew}, batch.anew),
            ("open_sealed", {"rows": Jsonb(opened)}, opened),
            ("add_statements", {"rows": _rows(statement_row(s, stated) for s, stated in batch.added)}, batch.added),
            (
                "write_records",
                {"rows": _rows(record_row(s, batch.evidence[s], r, revised[s]) for s, r in records.items())},
                records,
            ),
            ("write_facts", {"prefix": prefix, "rows": _rows(facts)}, facts),
            ("drop_facts", {"prefix": prefix, "slots": gone}, gone),
            ("add_ledger", {"rows": _rows(map(ledger_row, batch.outcomes)), "extractor": extractor}, batch.outcomes),
            ("mark_read", {"sources": batch.read, "extractor": extractor}, batch.read),
        ]
        for name, params, wanted in writes:
            if wanted:
                await connection.execute(QUERIES[name], {"subject": sid, **params})


def _rows(rows: Any) -> Jsonb:
    return Jsonb(list(rows))
