"""The turn's notes: plain dicts in state, between the nodes of one turn. They inform; they prove nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from graph.core.batch import Outcome, Reading
from graph.core.words import Claim, FactRecord, NoOp, Reject, Subject
from graph.storage import transcript
from graph.storage.pool import Database

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
