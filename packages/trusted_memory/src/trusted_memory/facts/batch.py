"""Deciding a batch of one subject: what was seen under the lock goes in, what to write comes out. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from trusted_memory.facts.decide import admit, difference, reread
from trusted_memory.facts.evidence import Evidence, add
from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import Claim, Decision, FactRecord, NoOp, Reject, Source, Statement


class UnknownSource(LookupError):
    """Claims about a message that is not in the subject's transcript."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one extractor read in one source; no claims is a reading too."""

    source: str
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What holds now: the sources named (from the transcript), who read them, the evidence by slot.

    `erased` gives, for a source that was erased, the name that its skeleton has. Evidence is bounded (bounded.py)
    but for the slots in `whole`; `until` gives, where something is left out, by when that had been said.
    """

    sources: Mapping[str, Source]
    read_by: Mapping[str, str | None]
    erased: Mapping[str, str]
    evidence: Mapping[str, Evidence]
    until: Mapping[str, datetime] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """One decision about the claim on `attribute` at `ordinal` of `source`."""

    source: str
    ordinal: int
    attribute: str
    decision: Decision


@dataclass(slots=True)
class Batch:
    """What to write: outcomes for the ledger, statements to add, sources read anew, and the slots as they are then."""

    outcomes: list[Outcome] = field(default_factory=list)
    added: list[tuple[Statement, str | None]] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    anew: list[str] = field(default_factory=list)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    records: dict[str, FactRecord | None] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    before: dict[str, FactRecord | None] = field(default_factory=dict)

    @property
    def changed(self) -> list[str]:
        """Slots whose record is not what it was."""
        return sorted(s for s in self.touched if s not in self.before or self.before[s] != self.records.get(s))


def slot_of(claim: Claim, schema: Schema) -> tuple[str, str | None] | None:
    """The slot a claim would compete for and the key of the value it names, None if it can't be read."""
    attribute = schema.get(claim.attribute)
    if attribute is None:
        return None
    read = attribute.read(claim.value, claim.same) if claim.value is not None else None
    if read is None and (attribute.many or claim.value is not None):
        return None
    key = read[1] if read else None
    return attribute.slot(key), key


def decide_batch(seen: Seen, readings: Sequence[Reading], schema: Schema, now: datetime, *, extractor: str) -> Batch:
    """Decide every claim in order, each against what the ones before it left.

    A source that `extractor` has read, or that was erased, changes nothing whatever is claimed this time. One that was
    read otherwise is read anew: its statements are replaced.
    """
    batch = Batch(evidence=dict(seen.evidence))
    for slot, evidence in seen.evidence.items():
        attribute = schema.get(evidence[0].attribute)
        batch.records[slot] = batch.before[slot] = resolve(evidence, attribute, now) if attribute else None
    for reading in readings:
        source = seen.sources.get(reading.source)
        if reading.source in seen.erased:
            for ordinal, claim in enumerate(reading.claims):
                batch.outcomes.append(erased_outcome(seen.erased[reading.source], ordinal, claim))
        elif source is None:
            raise UnknownSource(
                f"message {reading.source!r} is not in this customer's transcript; record it before reading it"
            )
        elif seen.read_by.get(reading.source) == extractor or reading.source in batch.read:
            _skip(batch, seen, reading, source, schema)
        else:
            _read(batch, seen, reading, source, schema, now)
    return batch


def erased_outcome(source: str, ordinal: int, claim: Claim) -> Outcome:
    return Outcome(source, ordinal, claim.attribute, NoOp(None, None, None))


def _skip(batch: Batch, seen: Seen, reading: Reading, source: Source, schema: Schema) -> None:
    for ordinal, claim in enumerate(reading.claims):
        if claim.accepts in seen.erased:
            batch.outcomes.append(erased_outcome(source.id, ordinal, claim))
            continue
        decision: Decision | Statement = admit_seen(claim, source, ordinal, seen, schema)
        if isinstance(decision, Statement):
            record = batch.records.get(decision.slot)
            decision = NoOp(decision, record, record)
        batch.outcomes.append(Outcome(source.id, ordinal, claim.attribute, decision))


def _read(batch: Batch, seen: Seen, reading: Reading, source: Source, schema: Schema, now: datetime) -> None:
    dropped = _take_out(batch, source.id)
    left = set(dropped)
    batch.read.append(source.id)
    for ordinal, claim in enumerate(reading.claims):
        if claim.accepts in seen.erased:
            batch.outcomes.append(erased_outcome(source.id, ordinal, claim))
            continue
        admitted = admit_seen(claim, source, ordinal, seen, schema)
        decision: Decision
        if isinstance(admitted, Reject):
            decision = admitted
        else:
            decision = _decide(batch, admitted, dropped.get(admitted.slot, ()), schema, now)
            left.discard(admitted.slot)
            batch.added.append((admitted, claim.value))
        batch.outcomes.append(Outcome(source.id, ordinal, claim.attribute, decision))
    for slot in sorted(left):
        gone, attribute = dropped[slot][0], schema.get(dropped[slot][0].attribute)
        after = resolve(batch.evidence[slot], attribute, now) if attribute else None
        if change := reread(batch.records[slot], after, gone):
            batch.outcomes.append(Outcome(source.id, gone.ordinal, gone.attribute, change))
        batch.records[slot] = after


def _take_out(batch: Batch, source: str) -> dict[str, Evidence]:
    """Statements of an earlier reading of this source, by slot."""
    dropped: dict[str, Evidence] = {}
    for slot, evidence in batch.evidence.items():
        if old := tuple(s for s in evidence if s.source == source):
            dropped[slot] = old
            batch.evidence[slot] = tuple(s for s in evidence if s.source != source)
            batch.touched.add(slot)
    if dropped:
        batch.anew.append(source)
    return dropped


def _decide(batch: Batch, statement: Statement, dropped: Evidence, schema: Schema, now: datetime) -> Decision:
    attribute = schema[statement.attribute]
    evidence = batch.evidence.get(statement.slot, ())
    before = batch.records.get(statement.slot)
    grown = add(evidence, statement)
    after = resolve(grown, attribute, now)
    batch.evidence[statement.slot] = grown
    batch.records[statement.slot] = after
    batch.touched.add(statement.slot)
    said = tuple(s for s in dropped if (s.key, s.intent == "retract") == (statement.key, statement.intent == "retract"))
    return difference(statement, evidence + said, before, after, attribute, now)


def admit_seen(claim: Claim, source: Source, ordinal: int, seen: Seen, schema: Schema) -> Statement | Reject:
    """Its quote is in the message, and what it accepts is an assistant message of this subject's transcript."""
    if not claim.found and claim.quote not in source.text:
        claim = replace(claim, found="quote_not_found")
    proposal = seen.sources.get(claim.accepts) if claim.accepts else None
    proposed = claim.accepts is None or (proposal is not None and proposal.kind == "assistant")
    return admit(claim, source, ordinal, schema, proposed=proposed)
