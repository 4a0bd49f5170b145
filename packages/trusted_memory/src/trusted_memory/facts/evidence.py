"""Evidence about one slot, and how its statements stand to each other: pairs of them, with no record in sight."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from trusted_memory.facts.schema import Attribute, compared
from trusted_memory.facts.words import Statement

Evidence = tuple[Statement, ...]


def add(evidence: Evidence, statement: Statement) -> Evidence:
    """The evidence with one more statement. Of two deliveries of a source the earliest counts, for all it said."""
    known = {s.id: s for s in evidence}
    known[statement.id] = min(known.get(statement.id, statement), statement, key=_delivered)
    earliest = min(s.observed_at for s in known.values() if s.source == statement.source)
    return tuple(
        replace(s, observed_at=earliest) if s.source == statement.source and s.observed_at != earliest else s
        for s in known.values()
    )


def _delivered(s: Statement) -> tuple[datetime, bool, datetime]:
    """The earlier delivery; an end that follows from the time of a statement is earlier then, too."""
    return s.observed_at, s.valid_until is None, s.valid_until or s.observed_at


def erase(evidence: Evidence, source: str, tombstone: str) -> Evidence:
    """The evidence without a source. Of its withdrawals a bare tombstone stays, so that nothing withdrawn returns."""
    return erase_all(evidence, {source: tombstone})


def erase_all(evidence: Evidence, names: Mapping[str, str]) -> Evidence:
    """The evidence without these sources; `names` gives the name that the tombstones of each have.

    Two messages may have accepted the same withdrawal: their tombstones get ordinals of their own.
    """
    kept: list[Statement] = []
    places = Counter[str]()
    for s in evidence:
        name = names.get(s.source, names.get(s.accepts or s.source))
        if name is None:
            kept.append(s)
        elif s.intent == "retract":
            kept.append(replace(s, source=name, ordinal=places[name], quote="", value=None, accepts=None))
            places[name] += 1
    return tuple(kept)


def read_among(evidence: Iterable[Statement], attribute: Attribute, value: str) -> tuple[str, str] | None:
    """The value as `attribute.read` has it, under the key that its wording was last stated with, if it was.

    A person who names a value names what is shown to people, and knows of no `same`.
    """
    read = attribute.read(value)
    if read is None or not attribute.same:
        return read
    stated = [s for s in evidence if s.value is not None and compared(s.value) == read[1]]
    return read[0], max(stated, key=said).key or read[1] if stated else read[1]


def rank_of(s: Statement, attribute: Attribute) -> int | None:
    """Authority group of a statement, 0 the strongest. A settlement has the rank of the statements it retired."""
    return s.rank if s.rank is not None else attribute.rank(s.kind, s.origin)


def withdraws(w: Statement, s: Statement) -> bool:
    """Whether the withdrawal reaches the statement: it names its value, or none, and was said after it."""
    return w.key in (None, s.key) and said_before(s, w)


def said_before(s: Statement, w: Statement) -> bool:
    """Whether s was said before w. Versions are compared within one origin, positions within one unversioned source.

    An announced withdrawal also reaches what took its place before the withdrawal's own start.
    """
    if origin(s) == origin(w) and (s.version is not None or w.version is not None):
        return version(s) < version(w)
    if s.source == w.source:
        return s.ordinal < w.ordinal
    return s.observed_at < w.observed_at or (announced(w) and moment(s) < moment(w))


def never_began(s: Statement, withdrawals: Iterable[Statement]) -> bool:
    """An announced change that was withdrawn before it began replaced nothing."""
    start = s.valid_from
    return start is not None and any(
        withdraws(w, s) and max(w.observed_at, w.valid_from or w.observed_at) < start for w in withdrawals
    )


def origin(s: Statement) -> tuple[str, str]:
    return s.kind, s.origin


def version(s: Statement) -> tuple[bool, int]:
    """Unversioned comes before any version."""
    return s.version is not None, s.version or 0


def announced(s: Statement) -> bool:
    """With a start and no end: it takes its place among the others at its start."""
    return s.valid_from is not None and s.valid_until is None


def moment(s: Statement) -> tuple[datetime, datetime]:
    """When a statement takes its place among others: when it was said, or at its start if it was announced."""
    return (s.valid_from if s.valid_from and not s.valid_until else s.observed_at), s.observed_at


def said(s: Statement) -> tuple[datetime, str, int]:
    return s.observed_at, s.source, s.ordinal
