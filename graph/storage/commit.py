"""The commit: one transaction for a batch of one subject. Gather under the lock, decide, apply; all or nothing.

Every write path of the product ends here (F8): the conversation, the background job, tools, reviewers, commands.
"""

import hashlib
import hmac
from collections.abc import Callable, Sequence
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
from graph.storage.rows import by_slot, fact_value, ledger_row, record_row, statement_row, to_source
from graph.storage.sql import QUERIES

REVIEW, ERASURE, CLOCK = "review", "erasure", "clock"  # who reads, where no model does


def fingerprint(key: bytes, source: str) -> bytes:
    """Keyed hash of a source id: recognises a redelivery of what was erased without keeping the id."""
    return hmac.digest(key, source.encode(), hashlib.sha256)


def tombstone(fingerprint: bytes) -> str:
    """The name that the skeleton of an erased source has."""
    return f"erased:{fingerprint.hex()}"


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
        self, subject: Subject, readings: Sequence[Reading], *, extractor: str, now: datetime
    ) -> list[Outcome]:
        """Decide and apply what was read; one outcome a claim, in order. Transient faults are retried by name.

        Raises UnknownSource where a message isn't in the subject's transcript: kind, origin and time come from there.
        """
        if not readings:
            return []
        claims = [c for r in readings for c in r.claims]
        sources = list({r.source for r in readings} | {c.accepts for c in claims if c.accepts})
        slots = list({slot for c in claims if (slot := slot_of(c, self.schema))})
        return await self._transact(
            subject, sources, slots, extractor,
            lambda seen: decide_batch(seen, readings, self.schema, now, extractor=extractor),
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
    ) -> list[Outcome]:
        """A reviewer's decision on a conflict. `by` is the settlement's own id, recorded in the transcript before."""
        return await self._transact(
            subject, [by], [slot], REVIEW,
            lambda seen: settle_batch(seen, slot, tuple(retires), value, by, self.schema, now),
        )  # fmt: skip

    async def refresh(self, subject: Subject, slots: Sequence[str], *, now: datetime) -> None:
        """Write the records of these slots as time has made them."""
        await self._transact(subject, [], list(slots), CLOCK, lambda seen: refresh_batch(seen, self.schema, now))

    async def erase(self, subject: Subject, source: str, *, now: datetime) -> list[Outcome]:
        """Forget one source: what it alone said goes, what it shared loses one support, redelivery stays a no-op."""
        name = tombstone(fingerprint(self.key(), source))
        return await self._transact(
            subject,
            [source],
            [],
            ERASURE,
            lambda seen: erase_batch(seen, source, name, self.schema, now),
            erasing=source,
        )

    async def _transact(
        self,
        subject: Subject,
        sources: list[str],
        slots: list[str],
        extractor: str,
        decided: Callable[[Seen], Batch],
        *,
        erasing: str | None = None,
    ) -> list[Outcome]:
        """Gather, decide, apply, in one transaction; tried again on transient faults."""
        async for attempt in retrying():
            with attempt:
                async with self.database.connection() as connection, connection.pipeline(), connection.transaction():
                    seen, revisions = await self._gather(connection, subject, sources, slots)
                    batch = decided(seen)
                    if erasing:
                        await self._forget(connection, subject, erasing)
                    await self._apply(connection, subject, batch, revisions, extractor)
                    return batch.outcomes
        raise AssertionError("retrying returns or raises")

    async def foresee(
        self, subject: Subject, readings: Sequence[Reading], *, extractor: str, now: datetime
    ) -> list[Outcome]:
        """What a commit would decide now, without the lock and without writing: advice, nothing more."""
        claims = [c for r in readings for c in r.claims]
        sources = list({r.source for r in readings} | {c.accepts for c in claims if c.accepts})
        slots = list({slot for c in claims if (slot := slot_of(c, self.schema))})
        async with self.database.connection() as connection, connection.pipeline():
            seen, _ = await self._gather(connection, subject, sources, slots, locking=False)
            return decide_batch(seen, readings, self.schema, now, extractor=extractor).outcomes

    async def _gather(
        self, connection: Connection, subject: Subject, sources: list[str], slots: list[str], *, locking: bool = True
    ) -> tuple[Seen, dict[str, int]]:
        """One round trip: the lock, then everything the decisions depend on, read after it was granted."""
        hashes = {fingerprint(self.key(), source): source for source in sources}
        params = {
            "subject": subject_id(subject),
            "timeout": f"{int(self.lock_timeout * 1000)}ms",
            "sources": sources,
            "hashes": list(hashes),
            "slots": slots,
        }
        if locking:
            await connection.execute(QUERIES["lock"], params)
        cursors = [await connection.execute(QUERIES[name], params) for name in ("sources", "erased", "evidence")]
        said, erased, statements = [await cursor.fetchall() for cursor in cursors]
        seen = Seen(
            {row["source"]: to_source(row) for row in said},
            {row["source"]: row["extractor"] for row in said},
            {hashes[row["source"]]: tombstone(row["source"]) for row in erased},
            by_slot(statements),
        )
        return seen, {row["slot"]: row["revision"] or 0 for row in statements}

    async def _forget(self, connection: Connection, subject: Subject, source: str) -> None:
        """The rows of an erased source; its fingerprint stays."""
        params = {
            "subject": subject_id(subject), "source": source, "hash": fingerprint(self.key(), source),
            "name": tombstone(fingerprint(self.key(), source)),
        }  # fmt: skip
        for name in ("erase_statements", "erase_message", "erase_ledger", "mark_erased"):
            await connection.execute(QUERIES[name], params)

    async def _apply(
        self, connection: Connection, subject: Subject, batch: Batch, revisions: dict[str, int], extractor: str
    ) -> None:
        """One round trip, in which the transaction's own commit travels too."""
        sid = subject_id(subject)
        prefix = f"facts.{sid}"
        records = {slot: batch.records[slot] for slot in batch.changed}
        revised = {slot: revisions.get(slot, 0) + 1 for slot in records}
        facts = [
            {"key": slot, "value": fact_value(record, revised[slot])}
            for slot, record in records.items()
            if record and record.status == "active"
        ]
        gone = list(records.keys() - {fact["key"] for fact in facts})
        writes: list[tuple[str, dict[str, Any], Any]] = [
            ("end_statements", {"sources": batch.anew}, batch.anew),
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
