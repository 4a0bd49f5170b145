"""Decide: the difference that one more statement makes to what is believed."""

from dataclasses import replace
from datetime import datetime

from trusted_memory.facts.evidence import Evidence, add, rank_of, read_among
from trusted_memory.facts.resolve import counting_group, resolve
from trusted_memory.facts.schema import Attribute, Schema
from trusted_memory.facts.words import (
    Claim,
    Conflict,
    Decision,
    FactRecord,
    Insert,
    Merge,
    NoOp,
    Reason,
    Reject,
    Replace,
    Retract,
    Source,
    Statement,
)


def admit(claim: Claim, source: Source, ordinal: int, schema: Schema, *, proposed: bool = True) -> Statement | Reject:
    """The claim bound to its source, or why it can't be evidence. The reasons are tested in a fixed order.

    `proposed` is false where the claim accepts something that the assistant never said.
    """
    if claim.found:
        return Reject(claim.found, claim)
    attribute = schema.get(claim.attribute)
    if attribute is None:
        return Reject("unknown_attribute", claim)
    read = attribute.read(claim.value, claim.same) if claim.value is not None else None
    withdraws_all = claim.intent == "retract" and claim.value is None and not attribute.many
    if read is None and not withdraws_all:
        return Reject("unreadable_value", claim)
    if source.kind == "assistant" or not proposed:
        return Reject("not_accepted", claim)
    if attribute.rank(source.kind, source.origin) is None:
        return Reject("no_authority", claim)
    value, key = read or (None, None)
    valid_until = claim.valid_until
    if valid_until is None and attribute.default_validity and claim.intent != "retract":
        valid_until = (claim.valid_from or source.observed_at) + attribute.default_validity
    return Statement(
        source.id, ordinal, source.kind, source.origin, source.version, source.observed_at,
        attribute.name, attribute.slot(key), value, key, claim.intent,
        claim.valid_from, valid_until, claim.accepts, claim.quote,
    )  # fmt: skip


def settlement(
    slot: str,
    retires: tuple[tuple[str, int], ...],
    value: str | None,
    by: Source,
    evidence: Evidence,
    attribute: Attribute,
    now: datetime,
) -> Statement:
    """A reviewer's decision as a statement: it retires the losers; with a value nobody stated, it speaks in their rank.

    A value that one of the remaining sides stated needs no word of the reviewer's: it would only add support.
    """
    losers = [s for s in evidence if s.id in retires]
    if len(losers) != len(set(retires)) or not losers:
        raise ValueError(f"{slot}: a settlement retires statements of this slot; not among them: {retires}")
    read = read_among(evidence, attribute, value) if value is not None else None
    if value is not None and (read is None or attribute.slot(read[1]) != slot):
        raise ValueError(f"{value!r} can't be a value of {slot}")
    shown, key = read or (None, None)
    record = resolve(evidence, attribute, now)
    if key in {s.key for s in record.standing if s.id not in retires} if record else False:
        shown, key = None, None
    ranks = [rank for s in losers if (rank := rank_of(s, attribute)) is not None]
    return Statement(
        by.id, 0, by.kind, by.origin, None, by.observed_at, attribute.name, slot, shown, key, "settle",
        quote=by.text, retires=retires, rank=min(ranks, default=None),
    )  # fmt: skip


def decide(statement: Statement, evidence: Evidence, attribute: Attribute, now: datetime) -> Decision:
    """What adding the statement to the evidence of its slot changes, as one of the closed outcomes."""
    grown = add(evidence, statement)
    before, after = resolve(evidence, attribute, now), resolve(grown, attribute, now)
    return difference(statement, evidence, before, after, attribute, now)


def difference(
    statement: Statement,
    evidence: Evidence,
    before: FactRecord | None,
    after: FactRecord | None,
    attribute: Attribute,
    now: datetime,
) -> Decision:
    """Name the step from `before` to `after` that the statement caused. `evidence` is what had been said till then."""
    repeated = _said_already(statement, evidence)
    was = before.status if before else None
    match after:
        case FactRecord(status="active"):
            if before is None or was != "active":
                return Insert(statement, before, after)
            if keys(before) != keys(after):
                return Replace(statement, before, after)
            if after.support > before.support or after.rank < before.rank:
                return Merge(statement, before, after)
        case FactRecord(status="conflict"):
            repeats_a_side = not repeated and any(s.id == statement.id for s in after.standing)
            if was != "conflict" or keys(before) != keys(after) or repeats_a_side:
                return Conflict(statement, before, after)
        case FactRecord(status="retracted"):
            if was != "retracted":
                return Retract(statement, before, after)
        case None:  # a settlement retired every side
            if was in ("active", "conflict"):
                return Retract(statement, before, after)
    if repeated:
        return NoOp(statement, before, after)
    return Reject(_why(statement, evidence, before, after, attribute, now), None, statement, before, after)


def keys(record: FactRecord | None) -> frozenset[str | None]:
    """Identities of the values that a record believes or disputes."""
    return frozenset(s.key for s in record.standing) if record and record.status != "retracted" else frozenset()


def _said_already(statement: Statement, evidence: Evidence) -> bool:
    """Counted already, or the same value again from the same source."""
    return any(
        s.source == statement.source
        and (s.ordinal == statement.ordinal or s.key == statement.key)
        and (s.intent == "retract") == (statement.intent == "retract")
        for s in evidence
    )


def _why(
    s: Statement,
    evidence: Evidence,
    before: FactRecord | None,
    after: FactRecord | None,
    attribute: Attribute,
    now: datetime,
) -> Reason:
    """Why an admissible statement changes nothing: the first reason that fits."""
    if s.valid_until is not None and s.valid_until <= now:
        return "expired"
    if s.valid_from is not None and s.valid_from > now:
        return "not_yet_valid"
    rank, counting = rank_of(s, attribute), counting_group(add(evidence, s), attribute, now)
    if counting and rank is not None and rank > counting[0]:
        return "outranked"
    if after and after.temporary and s.valid_until is None and _counts_beneath(s, evidence, attribute, now):
        return "covered"
    if s.intent == "retract" and not (keys(before) if s.key is None else keys(before) & {s.key}):
        return "not_held"
    return "stale"


def _counts_beneath(s: Statement, evidence: Evidence, attribute: Attribute, now: datetime) -> bool:
    """Under a temporary value every base value waits; a withdrawal does if it takes away what waits there."""
    if s.intent != "retract":
        return True
    base = tuple(e for e in evidence if e.valid_until is None)
    return keys(resolve(base, attribute, now)) != keys(resolve(add(base, s), attribute, now))


def reread(before: FactRecord | None, after: FactRecord | None, cause: Statement) -> Decision | None:
    """The change when statements were taken away (erased, or read anew), named by the statement that caused it."""
    if after is None or after.status == "retracted":
        if before is None or before.status == "retracted":
            return None
        return Retract(cause, before, after or replace(before, status="retracted", value=None, values=(), support=0))
    if after.status == "conflict":
        return Conflict(cause, before, after) if before is None or keys(before) != keys(after) else None
    if before is None or before.status != "active":
        return Insert(cause, before, after)
    if keys(before) != keys(after):
        return Replace(cause, before, after)
    return Merge(cause, before, after) if before.support != after.support else None
