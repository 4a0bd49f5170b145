"""Bounded evidence for a batch: which slots have to be read whole first, and which have grown too long afterwards."""

from collections.abc import Sequence
from datetime import datetime

from trusted_memory.facts.batch import Batch, Reading, Seen, admit_seen
from trusted_memory.facts.bounded import Bounded, bounded, reaches_back
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import Statement

MOST = 20  # statements of one slot that an ordinary commit reads; with more, it is bounded again


def reaching_back(seen: Seen, readings: Sequence[Reading], schema: Schema, extractor: str) -> list[str]:
    """Slots in which something new has to be compared with what was left out."""
    slots: set[str] = set()
    for reading in readings if seen.until else ():
        source = seen.sources.get(reading.source)
        if source is None or reading.source in seen.erased or seen.read_by.get(reading.source) == extractor:
            continue
        for ordinal, claim in enumerate(reading.claims):
            s = admit_seen(claim, source, ordinal, seen, schema)
            if not isinstance(s, Statement) or s.slot not in seen.until or s.slot in seen.whole:
                continue
            if reaches_back(s, seen.evidence.get(s.slot, ()), seen.until[s.slot]):
                slots.add(s.slot)
    return sorted(slots)


def trimmed(seen: Seen, batch: Batch, schema: Schema, now: datetime) -> dict[str, Bounded]:
    """The slots of which another selection is to be read from now on."""
    found: dict[str, Bounded] = {}
    for slot in batch.touched:
        evidence = batch.evidence[slot]
        attribute = schema.get(evidence[0].attribute) if evidence else None
        if slot in seen.whole and slot in seen.until:
            found[slot] = Bounded(evidence, None)  # it was read whole because what was left out matters again
        if attribute and len(evidence) > MOST:
            left = bounded(evidence, attribute, now)
            if left.until:
                since = None if slot in seen.whole else seen.until.get(slot)
                found[slot] = Bounded(left.kept, max(filter(None, (left.until, since))))
    return found
