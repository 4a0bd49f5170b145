"""Apply: what was decided, written in one round trip, in which the transaction's own commit travels too."""

from collections.abc import Mapping
from typing import Any

from trusted_memory.facts.batch import Batch
from trusted_memory.facts.bounded import Bounded
from trusted_memory.facts.words import Subject
from trusted_memory.storage.gather import Gathered
from trusted_memory.storage.ids import subject_id
from trusted_memory.storage.pool import Connection
from trusted_memory.storage.rows import fact_value, ledger_row, record_row, statement_row
from trusted_memory.storage.sql import QUERIES, jsonb


async def apply(
    connection: Connection,
    subject: Subject,
    batch: Batch,
    gathered: Gathered,
    extractor: str,
    bound: Mapping[str, Bounded],
) -> None:
    """Statements, records, facts, ledger and what was read; `bound` says what of a slot is read from now on."""
    seen, sid = gathered.seen, subject_id(subject)
    named = {(s.slot, s.key) for s, _ in batch.added}
    opened = [row for row in gathered.opened if (row["slot"], row["key"]) in named]
    changed = sorted({*batch.changed, *(row["slot"] for row in opened)})  # an opened record leaves its sealed name
    revised = {s: gathered.revisions.get(s, 0) + 1 for s in changed}
    records = [
        record_row(
            slot,
            batch.evidence[slot],
            batch.records[slot],
            revised.get(slot, gathered.revisions.get(slot, 0)),
            bound[slot].until if slot in bound else None if slot in seen.whole else seen.until.get(slot),
        )
        for slot in sorted({*changed, *bound})
    ]
    facts = [
        {"key": slot, "value": fact_value(record, revised[slot])}
        for slot in changed
        if (record := batch.records[slot]) and record.status == "active"
    ]
    gone = sorted(set(changed) - {fact["key"] for fact in facts})
    kept = {slot: {s.id: s for s in b.kept} for slot, b in bound.items()}
    added = [
        statement_row(
            kept.get(s.slot, {}).get(s.id, s), stated,
            live=s.slot not in kept or s.id in kept[s.slot], revision=revised.get(s.slot),
        )
        for s, stated in batch.added
    ]  # fmt: skip
    flags = _flags(batch, gathered, kept)
    rare: list[tuple[str, dict[str, Any], Any]] = [
        ("end_statements", {"sources": batch.anew}, batch.anew),
        ("open_sealed", {"rows": jsonb(opened)}, opened),
        ("bound", {"rows": jsonb(flags)}, flags),
    ]
    for name, params, wanted in rare:  # before the others: one statement can't change a row twice
        if wanted:
            await connection.execute(QUERIES[name], {"subject": sid, **params})
    written = {
        "statements": added, "records": records, "facts": facts, "gone": gone,
        "ledger": [ledger_row(outcome) for outcome in batch.outcomes], "read": batch.read, "extractor": extractor,
    }  # fmt: skip
    if any(written[name] for name in ("records", "ledger", "read")):
        await connection.execute(QUERIES["apply"], {"subject": sid, "batch": jsonb(written)})


def _flags(batch: Batch, gathered: Gathered, kept: Mapping[str, Mapping[Any, Any]]) -> list[dict[str, Any]]:
    """Which of the statements that were there before are live from now on, and what they carry."""
    flags = []
    new = {(s.slot, s.id) for s, _ in batch.added}
    for slot, ids in kept.items():
        for s in batch.evidence[slot]:
            carries = ids[s.id].carries if s.id in ids else 0
            if (slot, s.id) in new or (slot not in gathered.seen.whole and s.id in ids and carries == s.carries):
                continue
            flag = {"slot": slot, "source": s.source, "ordinal": s.ordinal, "live": s.id in ids, "carries": carries}
            flags.append(flag)
    return flags
