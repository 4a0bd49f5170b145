"""Recall: what may be used in an answer about this subject now, and what can't be used yet."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import FactRecord, Subject
from trusted_memory.storage.pool import Connection, subject_id
from trusted_memory.storage.rows import by_slot, fact_value
from trusted_memory.storage.sql import QUERIES


@dataclass(frozen=True, slots=True)
class Recalled:
    """`facts`: active ones by slot (value, support, quotes …). `conflicts`: records with several values, by slot."""

    facts: dict[str, dict[str, Any]]
    conflicts: dict[str, FactRecord]


async def recall(connection: Connection, subject: Subject, schema: Schema, now: datetime) -> Recalled:
    """The facts that hold at `now`. Where time alone may have changed an answer, the evidence is resolved again."""
    sid = subject_id(subject)
    async with connection.pipeline():
        facts_cursor = await connection.execute(QUERIES["recall_facts"], {"prefix": f"facts.{sid}"})
        slots_cursor = await connection.execute(QUERIES["recall_slots"], {"subject": sid, "now": now})
        facts = {row["slot"]: row["value"] for row in await facts_cursor.fetchall()}
        slots = [row["slot"] for row in await slots_cursor.fetchall()]
    conflicts: dict[str, FactRecord] = {}
    if slots:
        for slot, evidence in (await evidence_of(connection, subject, slots)).items():
            attribute = schema.get(evidence[0].attribute)
            record = resolve(evidence, attribute, now) if attribute else None
            revision = facts.pop(slot, {}).get("revision", 0)
            if record and record.status == "active":
                facts[slot] = fact_value(record, revision)
            elif record and record.status == "conflict":
                conflicts[slot] = record
    known = {slot: fact for slot, fact in sorted(facts.items()) if fact["attribute"] in schema}
    return Recalled(known, conflicts)


async def evidence_of(connection: Connection, subject: Subject, slots: list[str]) -> dict[str, Any]:
    params = {"subject": subject_id(subject), "slots": slots}
    return by_slot(await (await connection.execute(QUERIES["evidence_of_slots"], params)).fetchall())


async def as_of(connection: Connection, subject: Subject, schema: Schema, moment: datetime) -> dict[str, FactRecord]:
    """Every record as it was believed at `moment`: what was known then, resolved at that time."""
    params = {"subject": subject_id(subject), "moment": moment}
    rows = await (await connection.execute(QUERIES["evidence_as_of"], params)).fetchall()
    found = {
        slot: resolve(evidence, schema[evidence[0].attribute], moment)
        for slot, evidence in by_slot(rows).items()
        if evidence[0].attribute in schema
    }
    return {slot: record for slot, record in found.items() if record}


async def ledger(connection: Connection, subject: Subject, *, most: int = 100) -> list[dict[str, Any]]:
    """The newest decisions about the subject, newest first."""
    params = {"subject": subject_id(subject), "most": most}
    return await (await connection.execute(QUERIES["read_ledger"], params)).fetchall()


async def decisions(connection: Connection, subject: Subject, sources: list[str]) -> list[dict[str, Any]]:
    """What was decided about these messages, in order; repeated readings left out."""
    params = {"subject": subject_id(subject), "sources": sources}
    return await (await connection.execute(QUERIES["decisions_of"], params)).fetchall()
