"""`resolve` once more, naively and straight from the text of the design: every relation is tried for every pair.

Slow and independent on purpose: the properties compare the product with it.
"""

from datetime import datetime
from typing import NamedTuple

from trusted_memory.facts.schema import Attribute
from trusted_memory.facts.words import Statement


class Belief(NamedTuple):
    """What a record says: status, the values believed or disputed (their keys), and the support of the one."""

    status: str
    keys: frozenset[str | None] = frozenset()
    support: int = 0


def believe(  # noqa: C901 - the whole section on one page, in its order, is the point of this file
    evidence: tuple[Statement, ...], attribute: Attribute, now: datetime
) -> Belief | None:
    """The nine rules of section 4, one after the other."""
    retired = {target for s in evidence for target in s.retires}

    def rank(s: Statement) -> int | None:  # 6: a settlement speaks in the losers' group
        return s.rank if s.rank is not None else attribute.rank(s.kind, s.origin)

    def origin(s: Statement) -> tuple[str, str]:
        return s.kind, s.origin

    def version(s: Statement) -> int:  # 2: unversioned comes before any version
        return -1 if s.version is None else s.version

    def place(s: Statement) -> tuple[datetime, datetime]:  # 5: with a start and no end, it joins at its start
        joins = s.valid_from if s.valid_from and not s.valid_until else s.observed_at
        return joins, s.observed_at

    def unversioned(s: Statement, t: Statement) -> bool:
        return s.version is None and t.version is None

    def later(t: Statement, s: Statement) -> bool:  # 2: within an origin: version, else time, else position
        if not unversioned(s, t):
            return version(t) > version(s)
        if place(t) != place(s):
            return place(t) > place(s)
        return t.source == s.source and t.ordinal > s.ordinal

    def said_before(s: Statement, w: Statement) -> bool:
        if origin(s) == origin(w) and not unversioned(s, w):
            return version(s) < version(w)
        if s.source == w.source:
            return s.ordinal < w.ordinal
        announced = bool(w.valid_from and not w.valid_until)
        return s.observed_at < w.observed_at or (announced and place(s) < place(w))

    # Over statements valid at `now`: [from, until).
    valid = [
        s
        for s in evidence
        if (s.valid_from is None or s.valid_from <= now)
        and (s.valid_until is None or now < s.valid_until)
        and not (s.intent == "settle" and s.key is None)  # it retires, it says nothing
    ]
    spoken = [r for s in valid if (r := rank(s)) is not None]
    if not spoken:
        return None
    group = [s for s in valid if rank(s) == min(spoken)]  # 1: only the strongest group that has spoken
    withdrawals = [s for s in group if s.intent == "retract"]

    def reached_by(s: Statement) -> list[Statement]:  # 4
        return [w for w in withdrawals if (w.key is None or w.key == s.key) and said_before(s, w)]

    def begun(s: Statement) -> bool:  # 5: withdrawn before its start, it replaced nothing
        start = s.valid_from
        return start is None or not any(
            w.observed_at < start and (w.valid_from is None or w.valid_from < start) for w in reached_by(s)
        )

    values = [s for s in group if s.intent != "retract" and begun(s)]

    def explicit(t: Statement, s: Statement) -> bool:
        return t.intent in ("correct", "settle") or t.accepts is not None or version(t) > version(s)

    def replaced(s: Statement) -> bool:  # 2, within the origin and its own layer (5)
        return any(
            origin(t) == origin(s)
            and bool(t.valid_until) == bool(s.valid_until)
            and t.key != s.key
            and later(t, s)
            and (attribute.within_origin == "latest" or explicit(t, s))
            for t in values
        )

    def stands(s: Statement) -> bool:
        return not replaced(s) and not reached_by(s) and s.id not in retired

    def last_word(o: tuple[str, str], layer: list[Statement]) -> tuple[datetime, datetime]:
        own = [s for s in layer if origin(s) == o]
        return max(place(s) for s in own if version(s) == max(version(t) for t in own))

    def sides(layer: list[Statement]) -> list[Statement]:  # 3
        standing = [s for s in layer if stands(s)]
        if attribute.between_origins == "conflict" or not layer:
            return standing
        latest = max(last_word(origin(s), layer) for s in layer)
        return [s for s in standing if last_word(origin(s), layer) == latest]

    believed = sides([s for s in values if s.valid_until]) or sides([s for s in values if not s.valid_until])
    keys = frozenset(s.key for s in believed)
    if len(keys) > 1:
        return Belief("conflict", keys)
    if keys:  # 8: the sources whose statements of the value still stand in the group that counts
        return Belief("active", keys, len({s.source for s in values if s.key in keys and stands(s)}))
    settled = [s for s in values if s.id in retired and not replaced(s) and not reached_by(s)]
    if withdrawals and not any(s.observed_at > max(w.observed_at for w in withdrawals) for s in settled):
        return Belief("retracted")  # 9: the last word is a withdrawal
    return None
