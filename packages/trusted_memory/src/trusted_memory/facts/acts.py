"""Batches that no message caused: a reviewer settles, sources are erased, time passes. Pure, like batch.py."""

from collections.abc import Mapping
from datetime import datetime

from trusted_memory.facts.batch import Batch, Outcome, Seen, UnknownSource, erased_outcome
from trusted_memory.facts.decide import decide, reread, settlement
from trusted_memory.facts.evidence import add, erase_all
from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import Claim, NoOp


def settle_batch(
    seen: Seen,
    slot: str,
    retires: tuple[tuple[str, int], ...],
    value: str | None,
    by: str,
    schema: Schema,
    now: datetime,
) -> Batch:
    """A reviewer's settlement of one slot, as a batch. The settlement `by` is a source of its own."""
    evidence = seen.evidence.get(slot, ())
    if not evidence:
        raise LookupError(f"nothing is known about {slot!r}: there is nothing to settle")
    attribute = schema[evidence[0].attribute]
    before = resolve(evidence, attribute, now)
    losers = tuple(r for r in retires if r[0] not in seen.erased)
    if by in seen.erased:
        return Batch([erased_outcome(seen.erased[by], 0, Claim(attribute.name, None))])
    if settled := next((s for s in evidence if s.source == by), None):
        return Batch([Outcome(by, 0, attribute.name, NoOp(settled, before, before))])
    if retires and not losers:
        return Batch([Outcome(by, 0, attribute.name, NoOp(None, before, before))])
    if by not in seen.sources or seen.sources[by].kind != "operator":
        raise UnknownSource(f"{by!r} is no operator's message in this customer's transcript; only a reviewer settles")
    statement = settlement(slot, losers, value, seen.sources[by], evidence, attribute, now)
    decision = decide(statement, evidence, attribute, now)
    batch = Batch([Outcome(by, 0, attribute.name, decision)], before={slot: before}, touched={slot})
    batch.evidence[slot] = add(evidence, statement)
    batch.records[slot] = decision.after
    batch.added.append((statement, value))
    batch.read.append(by)
    return batch


def erase_batch(seen: Seen, names: Mapping[str, str], schema: Schema, now: datetime) -> Batch:
    """What holds once these sources are gone; `names` gives the names of their tombstones.

    Every slot they spoke in is written again, also where the record stays the same: the store may still show what time
    has ended meanwhile. The outcomes tell that something was erased, and nothing of what it was.
    """
    batch = Batch()
    for slot, evidence in seen.evidence.items():
        left = erase_all(evidence, names)
        if left == evidence:
            continue
        attribute = schema.get(evidence[0].attribute)
        before = resolve(evidence, attribute, now) if attribute else None
        batch.records[slot] = after = resolve(left, attribute, now) if attribute else None
        batch.evidence[slot] = left
        batch.touched.add(slot)
        if reread(before, after, evidence[0]):
            gone = next(s for s in evidence if s.source in names or s.accepts in names)
            name = names.get(gone.source) or names[gone.accepts or gone.source]
            batch.outcomes.append(Outcome(name, 0, gone.attribute, NoOp(None, None, None)))
    return batch


def refresh_batch(seen: Seen, schema: Schema, now: datetime) -> Batch:
    """The records as time has made them; nothing was decided, so nothing goes to the ledger."""
    batch = Batch(evidence=dict(seen.evidence), touched=set(seen.evidence))
    for slot, evidence in seen.evidence.items():
        attribute = schema.get(evidence[0].attribute)
        batch.records[slot] = resolve(evidence, attribute, now) if attribute else None
    return batch
