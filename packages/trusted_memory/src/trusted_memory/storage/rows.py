"""Rows and values: how evidence, records and decisions look in the database."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, assert_never

from trusted_memory.facts.batch import Outcome
from trusted_memory.facts.words import (
    Claim,
    Conflict,
    FactRecord,
    Insert,
    Merge,
    NoOp,
    Reject,
    Replace,
    Retract,
    Source,
    Statement,
)

QUOTES_SHOWN = 5  # quotes kept beside an active fact; the statements keep all of them


def to_source(row: Mapping[str, Any]) -> Source:
    return Source(row["source"], row["kind"], row["origin"], row["version"], moment(row["observed_at"]), row["text"])


def to_statement(row: Mapping[str, Any]) -> Statement:
    """`carries` counts only where the statements it stands for are not read as well."""
    return Statement(
        row["source"], row["ordinal"], row["kind"], row["origin"], row["version"], moment(row["observed_at"]),
        row["attribute"], row["slot"], row["value"], row["key"], row["intent"], moment(row["valid_from"]),
        moment(row["valid_until"]), row["accepts"], row["quote"], tuple((s, o) for s, o in row["retires"]), row["rank"],
        row.get("carries", 0),
    )  # fmt: skip


def moment(value: Any) -> Any:
    """A time, or none, as it comes from a column or from JSON."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def statement_row(
    s: Statement, stated: str | None, *, live: bool = True, revision: int | None = None
) -> dict[str, Any]:
    return {
        "slot": s.slot, "source": s.source, "ordinal": s.ordinal, "kind": s.kind, "origin": s.origin,
        "version": s.version, "observed_at": _iso(s.observed_at), "attribute": s.attribute, "stated": stated,
        "value": s.value, "key": s.key, "intent": s.intent, "valid_from": _iso(s.valid_from),
        "valid_until": _iso(s.valid_until), "accepts": s.accepts, "quote": s.quote,
        "retires": [list(r) for r in s.retires], "rank": s.rank, "live": live, "carries": s.carries,
        "revision": revision,
    }  # fmt: skip


def record_row(
    slot: str,
    evidence: Sequence[Statement],
    record: FactRecord | None,
    revision: int,
    bounded_at: datetime | None = None,
) -> dict[str, Any]:
    return {
        "slot": slot, "attribute": evidence[0].attribute if evidence else slot.partition("=")[0],
        "revision": revision, "status": record.status if record else "none",
        "changes_at": _iso(record.changes_at) if record else None, "bounded_at": _iso(bounded_at),
    }  # fmt: skip


def fact_value(record: FactRecord, revision: int) -> dict[str, Any]:
    """What LangGraph's store holds for an active fact. Times are ISO 8601 in UTC."""
    said = {(s.source, s.quote): s for s in record.standing}  # a message may say a thing twice in one sentence
    return {
        "attribute": record.attribute,
        "value": record.value,
        "status": record.status,
        "support": record.support,
        "revision": revision,
        "temporary": record.temporary,
        "changes_at": _iso(record.changes_at),
        "quotes": [
            {"source": s.source, "kind": s.kind, "origin": s.origin, "said_at": _iso(s.observed_at), "quote": s.quote}
            for s in list(said.values())[-QUOTES_SHOWN:]
        ],
    }


def brief(record: FactRecord | None) -> dict[str, Any] | None:
    """A record as the ledger remembers it."""
    if record is None:
        return None
    return {
        "status": record.status, "value": record.value, "values": list(record.values), "support": record.support,
    }  # fmt: skip


def ledger_row(outcome: Outcome) -> dict[str, Any]:
    """One decision; the match is the closed list of outcomes, a new one must be added here."""
    decision = outcome.decision
    reason: str | None = None
    claim: Claim | None = None
    match decision:
        case Insert() | Merge() | Replace() | Retract() | Conflict() | NoOp():
            statement = decision.statement
        case Reject():
            statement, reason, claim = decision.statement, decision.reason, decision.claim
        case _:
            assert_never(decision)
    said = _said(statement) if statement else _said_claim(claim)
    return {
        "slot": statement.slot if statement else None,
        "attribute": outcome.attribute if statement or claim else "(unknown)",  # as erasure has it: any words, maybe
        "source": outcome.source,
        "ordinal": outcome.ordinal,
        "outcome": type(decision).__name__.lower(),
        "reason": reason,
        "statement": said,
        "before": brief(decision.before),
        "after": brief(decision.after),
    }


def _said(s: Statement) -> dict[str, Any]:
    return {
        "value": s.value, "intent": s.intent, "quote": s.quote, "kind": s.kind, "origin": s.origin,
        "version": s.version, "observed_at": _iso(s.observed_at), "accepts": s.accepts,
        "valid_from": _iso(s.valid_from), "valid_until": _iso(s.valid_until),
    }  # fmt: skip


def _said_claim(claim: Claim | None) -> dict[str, Any]:
    return {"value": claim.value, "intent": claim.intent, "quote": claim.quote} if claim else {}


def by_slot(rows: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Statement, ...]]:
    """Evidence by slot, in a fixed order."""
    found: dict[str, list[Statement]] = {}
    for row in rows:
        found.setdefault(row["slot"], []).append(to_statement(row))
    return {
        slot: tuple(sorted(said, key=lambda s: (s.observed_at, s.source, s.ordinal))) for slot, said in found.items()
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
