"""Evidence that stays small: which statements of a slot need not be read again when something new is said.

A slot may be corrected or confirmed thousands of times. Of what was said up to some moment, `bounded` keeps what can
still matter to statements said after it; `reaches_back` tells which statements are not said after it, and those are
decided on all of the evidence. So `resolve` says the same, and an ordinary commit does not slow down with the past.
Erasure, settlements, rebuilding and "as of" use everything.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from trusted_memory.facts.evidence import (
    Evidence,
    announced,
    moment,
    never_began,
    origin,
    rank_of,
    said,
    version,
    withdraws,
)
from trusted_memory.facts.resolve import keep_unreplaced, last_word
from trusted_memory.facts.schema import Attribute
from trusted_memory.facts.words import Statement

Speaker = tuple[int | None, str, str]

RECENT = 8  # the newest statements stay as they are: messages that overtake each other a little change nothing
QUOTED = 5  # of agreeing statements, the newest stay, for their quotes; the oldest of these carries the rest


@dataclass(frozen=True, slots=True)
class Bounded:
    """`kept` is what is still read. Everything else was said by `until`; None where nothing was left out."""

    kept: Evidence
    until: datetime | None


def bounded(evidence: Evidence, attribute: Attribute, now: datetime) -> Bounded:
    """Leave out what is replaced or withdrawn for good; of many that agree, let a few carry the others."""
    whole = Bounded(evidence, None)
    if len(evidence) <= RECENT:
        return whole
    ordered = sorted(evidence, key=said)
    until = ordered[-RECENT - 1].observed_at
    old = [s for s in ordered if s.observed_at <= until]
    recent = ordered[len(old) :]
    if until > now or any(reaches_back(s, old, until) for s in recent):
        return whole  # a system reported an old version late; wait until that is old, too
    if any(s.intent == "retract" and s.valid_until and s.valid_until > now for s in old):
        return whole  # what it withdraws for a while will count again
    seen = _Old(old, attribute, until, now, {target for s in evidence for target in s.retires})
    if any(announced(s) and _outdated(s, old) for s in seen.waiting):
        return whole
    kept = seen.kept()
    return Bounded((*kept, *recent), until) if len(kept) < len(old) else whole


def reaches_back(s: Statement, kept: Iterable[Statement], until: datetime) -> bool:
    """Whether a statement has to be compared with what was left out, all of it said by `until`."""
    if s.observed_at <= until or (announced(s) and moment(s)[0] <= until):
        return True
    return _outdated(s, (k for k in kept if k.observed_at <= until))


def _outdated(s: Statement, others: Iterable[Statement]) -> bool:
    """Whether its origin has already told a newer version."""
    return any(origin(s) == origin(o) and version(s) < version(o) for o in others)


class _Old:
    """What was said up to `until`, seen from everything that will be said after it."""

    def __init__(
        self,
        old: list[Statement],
        attribute: Attribute,
        until: datetime,
        now: datetime,
        retired: set[tuple[str, int]],
    ) -> None:
        self.attribute, self.retired = attribute, retired
        # What has ended never counts again. What will end, or start, or retires others, stays as it is.
        for_good = [s for s in old if s.valid_until is None and (s.valid_from is None or s.valid_from <= until)]
        bounds = [s for s in old if s.valid_until or (s.valid_from and s.valid_from > until)]
        self.waiting = [s for s in bounds if s.valid_until is None or s.valid_until > now]
        self.settlements = [s for s in old if s.retires]
        self.withdrawals = [s for s in for_good if s.intent == "retract"]
        values = [s for s in for_good if s.intent != "retract" and s.key is not None]
        self.origins = self._by_origin([s for s in values if not never_began(s, self._withdrawals_for(s))])
        unreplaced = [s for own in self.origins.values() for s in keep_unreplaced(own, attribute)]
        self.alive = {s.id: s for s in unreplaced if not self._withdrawn_by(s)}

    def kept(self) -> list[Statement]:
        kept = {s.id: s for waiting in self.waiting for s in (waiting, self._withdrawn_by(waiting)) if s}
        # The last withdrawals: the record may consist of one, and they have versions that others are compared with.
        groups = {rank_of(w, self.attribute) for w in self.withdrawals}
        last = [max((w for w in self.withdrawals if rank_of(w, self.attribute) == g), key=said) for g in groups]
        kept |= {w.id: w for w in (*last, *map(last_word, self._by_origin(self.withdrawals).values()))}
        # The last word of each origin decides between origins, even when it is gone by now.
        for mark in map(last_word, self.origins.values()):
            kept |= {s.id: s for s in self._with_reason(mark)}
        # A retired value would stand again without its settlement.
        may_stand = self.alive.keys() | {s.id for s in self.waiting}
        for settlement in self.settlements:
            if may_stand & set(settlement.retires):
                kept |= {s.id: s for s in self._with_reason(settlement)}
        kept |= {s.id: s for s in self.alive.values() if s.id in self.retired}
        return list((kept | self._carried()).values())

    def _withdrawals_for(self, s: Statement) -> list[Statement]:
        rank = rank_of(s, self.attribute)
        return [w for w in self.withdrawals if rank_of(w, self.attribute) == rank]

    def _withdrawn_by(self, s: Statement) -> Statement | None:
        return max((w for w in self._withdrawals_for(s) if withdraws(w, s)), key=said, default=None)

    def _with_reason(self, s: Statement) -> Iterator[Statement]:
        """The statement, with what makes that it doesn't stand; else it would, once that is not read any more."""
        yield s
        if s.key is None or s.id in self.alive:
            return
        if w := self._withdrawn_by(s):
            yield w
            return
        own = next(own for own in self.origins.values() if s in own)
        replacing = [t for t in own if t.key != s.key and s not in keep_unreplaced([s, t], self.attribute)]
        yield from self._with_reason(last_word(replacing))

    def _carried(self) -> dict[tuple[str, int], Statement]:
        """The values that stand. Older ones that agree are carried by the oldest one that is kept for its quote."""
        chains: dict[object, list[Statement]] = {}
        for own in self.origins.values():
            newest = version(last_word(own))
            for s in own:
                if s.id in self.alive and s.id not in self.retired:
                    # A next statement of the newest version replaces older versions, but not its own.
                    chains.setdefault((self._speaker(s), s.key, version(s) == newest), []).append(s)
        kept: dict[tuple[str, int], Statement] = {}
        for chain in chains.values():
            chain.sort(key=said)
            shown, rest = chain[-QUOTED:], chain[:-QUOTED]
            sources = {s.source for s in rest} - {s.source for s in shown}
            carries = shown[0].carries + len(sources) + sum(s.carries for s in rest)
            kept |= {s.id: s for s in (replace(shown[0], carries=carries), *shown[1:])}
        return kept

    def _speaker(self, s: Statement) -> Speaker:
        """Its origin; a settlement speaks in the losers' group, other statements of the reviewer in his own."""
        return rank_of(s, self.attribute), *origin(s)

    def _by_origin(self, statements: Iterable[Statement]) -> dict[Speaker, list[Statement]]:
        origins: dict[Speaker, list[Statement]] = {}
        for s in statements:
            origins.setdefault(self._speaker(s), []).append(s)
        return origins
