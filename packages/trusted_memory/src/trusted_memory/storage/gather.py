"""Gather: everything the decisions about one subject depend on, read in one round trip."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trusted_memory.facts.batch import Reading, Seen, slot_of
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import Subject
from trusted_memory.storage.erasure.seal import Seals, fingerprint, tombstone
from trusted_memory.storage.ids import subject_id
from trusted_memory.storage.pool import Connection
from trusted_memory.storage.rows import by_slot, moment, to_source
from trusted_memory.storage.sql import QUERIES, jsonb


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about: sources, slots with the keys that claims name, by which extractor.

    `gone` are sources about to be erased: all evidence of the slots they spoke in is wanted, and of those in `whole`.
    """

    subject: Subject
    sources: Sequence[str]
    slots: Mapping[str, Collection[str]] = field(default_factory=dict)
    extractor: str = ""
    gone: Sequence[str] = ()
    whole: Sequence[str] = ()

    @classmethod
    def about(cls, subject: Subject, readings: Sequence[Reading], extractor: str, schema: Schema) -> "Question":
        claims = [c for r in readings for c in r.claims]
        slots: dict[str, set[str]] = {}
        for claim in claims:
            if found := slot_of(claim, schema):
                slot, key = found
                slots.setdefault(slot, set()).update({key} if key is not None else ())
        sources = {r.source for r in readings} | {c.accepts for c in claims if c.accepts}
        return cls(subject, sorted(sources), slots, extractor)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was read under the lock. `opened` are sealed tombstones that are about values named here."""

    seen: Seen
    revisions: dict[str, int]
    opened: list[dict[str, Any]]


async def gather(connection: Connection, secret: bytes, question: Question) -> Gathered:
    """One round trip, and one row; read after the lock was granted, where one is held."""
    sid = subject_id(question.subject)
    hashes = {fingerprint(secret, source): source for source in question.sources}
    asked = {
        "sources": question.sources, "hashes": [known.hex() for known in hashes], "slots": list(question.slots),
        "extractor": question.extractor, "gone": question.gone, "whole": question.whole,
    }  # fmt: skip
    params = {"subject": sid, "question": jsonb(asked)}
    [row] = await (await connection.execute(QUERIES["gather"], params)).fetchall()
    said, slots = row["said"] or [], row["slots"] or []
    whole = {slot["slot"] for slot in slots if slot["whole"]}
    statements = [s | {"carries": 0} if s["slot"] in whole else s for s in row["statements"] or []]
    evidence, opened = Seals(secret, sid).opened(statements, question.slots)
    erased = [bytes.fromhex(text) for text in row["erased"] or []]
    seen = Seen(
        {r["source"]: to_source(r) for r in said},
        {r["source"]: r["extractor"] for r in said},
        {hashes[known]: tombstone(known) for known in erased},
        by_slot(evidence),
        {slot["slot"]: until for slot in slots if (until := moment(slot["bounded_at"]))},
        frozenset(whole),
    )
    return Gathered(seen, {slot["slot"]: slot["revision"] or 0 for slot in slots}, opened)
