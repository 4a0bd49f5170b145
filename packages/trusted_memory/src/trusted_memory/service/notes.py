"""The turn's notes: plain dicts in state, between the nodes of one turn. They inform; they prove nothing."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trusted_memory.facts.batch import Outcome, Reading
from trusted_memory.facts.words import Claim, FactRecord, NoOp, Reject, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.pool import Database
from trusted_memory.storage.recall import decisions

if TYPE_CHECKING:
    from trusted_memory.service.memory import Memory

log = logging.getLogger(__name__)

LATER = "memory could not read everything now; the rest will be read in the background"
_TIMES = ("valid_from", "valid_until")


def readings_to_notes(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    def plain(claim: Claim) -> dict[str, Any]:
        noted = asdict(claim)
        return noted | {name: noted[name].isoformat() for name in _TIMES if noted[name]}

    return [{"source": r.source, "claims": [plain(c) for c in r.claims]} for r in readings]


def notes_to_readings(notes: Sequence[Mapping[str, Any]]) -> list[Reading]:
    names = {f.name for f in fields(Claim)}

    def claim(noted: Mapping[str, Any]) -> Claim:
        # A model's text may hold what PostgreSQL can't keep.
        values: dict[str, Any] = {
            k: transcript.storable(v) if isinstance(v, str) else v for k, v in noted.items() if k in names
        }
        return Claim(**values | {name: datetime.fromisoformat(values[name]) for name in _TIMES if values.get(name)})

    return [Reading(n["source"], tuple(claim(c) for c in n["claims"])) for n in notes]


async def admissible(database: Database, subject: Subject, turn: Mapping[str, Any]) -> list[Reading]:
    """The readings in a turn's notes, of messages that the subject wrote. State proves nothing (F10): no note may
    speak for a system of record, whoever put it there."""
    readings = notes_to_readings(turn.get("readings", []))
    async with database.connection() as connection:
        known = await transcript.known(connection, subject, [r.source for r in readings])
    return [r for r in readings if r.source in known and known[r.source]["kind"] == "user"]


def outcome_note(outcome: Outcome) -> dict[str, Any]:
    """One decision as the reply, the stream and the report show it."""
    decision = outcome.decision
    said = decision.claim if isinstance(decision, Reject) and decision.claim else decision.statement
    return {
        "attribute": outcome.attribute,
        "outcome": type(decision).__name__.lower(),
        "reason": decision.reason if isinstance(decision, Reject) else None,
        "value": said.value if said else None,
        "quote": said.quote if said else "",
        "intent": said.intent if said else "",
        "before": shown(decision.before) if not isinstance(decision, NoOp) else None,
        "after": shown(decision.after),
        "source": outcome.source,
    }


def ledger_note(row: Mapping[str, Any]) -> dict[str, Any]:
    """The same, from a row of the ledger."""
    said = row["statement"]
    return {
        "attribute": row["attribute"],
        "outcome": row["outcome"],
        "reason": row["reason"],
        "value": said.get("value"),
        "quote": said.get("quote", ""),
        "intent": said.get("intent", ""),
        "before": _in_words(row["before"]),
        "after": _in_words(row["after"]),
        "source": row["source"],
    }


def _in_words(record: Mapping[str, Any] | None) -> str | None:
    if not record or record["status"] == "retracted":
        return None
    return record["value"] if record["status"] == "active" else " / ".join(record["values"])


def shown(record: FactRecord | None) -> str | None:
    """What is believed, in words: the value, or all sides of a conflict."""
    if record is None or record.status == "retracted":
        return None
    return record.value if record.status == "active" else " / ".join(record.values)


async def preview(memory: Memory, subject: Subject, turn: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the decisions would be; nothing is locked or written."""
    readings = await admissible(memory.database, subject, turn)
    try:
        outcomes = await memory.committer.foresee(subject, readings, extractor=memory.extractor, now=datetime.now(UTC))
    except Exception as error:  # noqa: BLE001 - the write meets the same fault, reading by reading, and says so
        log.warning("no advice: %s", error)
        return []
    return [outcome_note(o) for o in outcomes]


async def store(memory: Memory, subject: Subject, turn: Mapping[str, Any]) -> dict[str, Any]:
    """Commit the turn's readings; the notes say what was decided about its messages, by whomever."""
    readings = await admissible(memory.database, subject, turn)
    failed = {**turn.get("failed", {}), **await _commit(memory, subject, readings)}
    # The background may have been faster with the same message: the ledger tells what was decided.
    sources = [*turn.get("new", []), *(r.source for r in readings)]
    async with memory.database.connection() as connection:
        rows = await decisions(connection, subject, sources)
        known = await transcript.known(connection, subject, sources)
    return {
        "written": [ledger_note(row) for row in rows],
        "read": sorted(source for source, row in known.items() if row["read"]),
        "failed": failed,
        **({"problem": LATER} if failed else {}),
    }


async def _commit(memory: Memory, subject: Subject, readings: Sequence[Reading]) -> dict[str, str]:
    """All together, else each by itself: one reading that can't be stored keeps none of the others out."""
    try:
        await memory.committer.commit(subject, readings, extractor=memory.extractor, now=datetime.now(UTC))
    # The messages are in the transcript and stay unread: the turn is answered, the background tries again.
    except Exception as error:
        if len(readings) == 1:
            log.warning("message %s stays unread: %s", readings[0].source, error, exc_info=error)
            return {readings[0].source: f"{type(error).__name__}: {error}"}
        failed: dict[str, str] = {}
        for reading in readings:
            failed |= await _commit(memory, subject, [reading])
        return failed
    return {}
