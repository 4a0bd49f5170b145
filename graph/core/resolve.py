"""What is believed about one slot, as a function of the set of statements about it and of the time.

Nothing here looks at the order of arrival. Four relations decide, and each is a few lines below: which group counts,
what a withdrawal reaches, what a later word of the same origin replaces, and how origins that differ are reconciled.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from graph.core.schema import Attribute
from graph.core.words import FactRecord, Statement

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


def resolve(evidence: Evidence, attribute: Attribute, now: datetime) -> FactRecord | None:
    """The record of one slot at `now`, or None where nothing counts.

    The evidence must hold a source and ordinal once (`add` sees to it).
    """
    counting = counting_group(evidence, attribute, now)
    if counting is None:
        return None
    rank, group = counting
    retired = {target for s in evidence for target in s.retires}
    withdrawals = [s for s in group if s.intent == "retract"]
    values = [s for s in group if s.intent != "retract" and not (withdrawals and never_began(s, withdrawals))]
    withdrawn = {s.id for s in values if any(withdraws(w, s) for w in withdrawals)}
    gone = withdrawn | retired

    cover = _layer([s for s in values if s.valid_until], gone, attribute)
    base = _layer([s for s in values if not s.valid_until], gone, attribute)
    sides = cover.sides or base.sides
    standing = [s for layer in (base, cover) for s in layer.unreplaced if s.id not in gone]

    pending = [s for s in evidence if s.valid_until is None or s.valid_until > now]
    changes_at = min((t for s in pending for t in (s.valid_from, s.valid_until) if t and t > now), default=None)
    record = FactRecord(
        evidence[0].slot, attribute.name, "active", rank=rank, temporary=bool(cover.sides), changes_at=changes_at
    )
    wordings = {key: _last_wording([s for s in standing if s.key == key]) for key in {s.key for s in sides}}
    match list(wordings.items()):
        case []:
            # Its last word is a withdrawal, or a value that a settlement retired: then there is nothing to say.
            settled = [s for s in (*base.unreplaced, *cover.unreplaced) if s.id in retired - withdrawn]
            last = max(withdrawals, key=said, default=None)
            if last is None or any(s.observed_at > last.observed_at for s in settled):
                return None
            return replace(record, status="retracted", standing=(last,))
        case [(key, shown)]:
            basis = tuple(sorted((s for s in standing if s.key == key), key=said))
            support = len({s.source for s in basis}) + sum(s.carries for s in basis)
            return replace(record, value=shown, support=support, standing=basis)
        case _:
            values_shown, disputed = tuple(sorted(wordings.values())), tuple(sorted(sides, key=said))
            return replace(record, status="conflict", values=values_shown, standing=disputed)


def counting_group(evidence: Evidence, attribute: Attribute, now: datetime) -> tuple[int, list[Statement]] | None:
    """The strongest authority group that has spoken, and what it says now; None where nobody has."""
    groups: dict[int, list[Statement]] = {}
    for s in evidence:
        if _is_word(s, now) and (rank := rank_of(s, attribute)) is not None:
            groups.setdefault(rank, []).append(s)
    return min(groups.items(), default=None, key=itemgetter(0))


def rank_of(s: Statement, attribute: Attribute) -> int | None:
    """Authority group of a statement, 0 the strongest. A settlement has the rank of the statements it retired."""
    return s.rank if s.rank is not None else attribute.rank(s.kind, s.origin)


def _is_word(s: Statement, now: datetime) -> bool:
    """Valid at `now` ([from, until)), and not a settlement that merely retires."""
    if s.intent == "settle" and s.key is None:
        return False
    return (s.valid_from is None or s.valid_from <= now) and (s.valid_until is None or now < s.valid_until)


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


@dataclass(frozen=True, slots=True)
class _Layer:
    """Base or temporary values: what is believed or disputed, and what no later word of its own origin replaced."""

    sides: list[Statement]
    unreplaced: list[Statement]


def _layer(values: list[Statement], gone: set[tuple[str, int]], attribute: Attribute) -> _Layer:
    origins: dict[tuple[str, str], list[Statement]] = {}
    for s in values:
        origins.setdefault(origin(s), []).append(s)
    unreplaced = [s for own in origins.values() for s in keep_unreplaced(own, attribute)]
    sides = [s for s in unreplaced if s.id not in gone]
    if len(origins) > 1 and attribute.between_origins == "latest":
        # The latest origin's word counts, even if it is gone by now: what it had replaced does not return.
        last = {o: moment(last_word(own)) for o, own in origins.items()}
        latest = max(last.values())
        sides = [s for s in sides if last[origin(s)] == latest]
    return _Layer(sides, unreplaced)


def last_word(own: Iterable[Statement]) -> Statement:
    """What one origin said last: of its newest version, the latest."""
    return max(own, key=lambda s: (version(s), moment(s), s.source, s.ordinal))


def keep_unreplaced(own: list[Statement], attribute: Attribute) -> list[Statement]:
    """The values of one origin that no later word of it replaces. Different values that nothing orders both stay.

    Walks from the newest to the oldest and remembers the keys that were said later; two keys are enough to know
    whether one of them differs, so a slot with thousands of statements stays linear.
    """
    ask = attribute.within_origin == "ask"
    kept: list[Statement] = []
    newer_versions: set[str | None] = set()
    for (versioned, _), same_version in groupby(sorted(own, key=version, reverse=True), key=version):
        of_version = list(same_version)
        later: set[str | None] = set()
        if versioned:
            kept += [s for s in of_version if not newer_versions - {s.key}]
        else:
            for _, same_moment in groupby(sorted(of_version, key=moment, reverse=True), key=moment):
                tied = list(same_moment)
                for s in tied:
                    after = {
                        t.key for t in tied if t.source == s.source and t.ordinal > s.ordinal and takes_over(t, ask)
                    }
                    if not (after | later | newer_versions) - {s.key}:
                        kept.append(s)
                _remember(later, (t.key for t in tied if takes_over(t, ask)))
        _remember(newer_versions, (s.key for s in of_version))
    return kept


def takes_over(s: Statement, ask: bool) -> bool:
    """Whether a later different value replaces: always under `latest`, only an explicit word under `ask`."""
    return not ask or s.intent in ("correct", "settle") or s.accepts is not None


def _remember(keys: set[str | None], more: Iterable[str | None]) -> None:
    for key in more:
        if len(keys) < 2:
            keys.add(key)


def _last_wording(standing: list[Statement]) -> str:
    """The wording said last; versions order the statements of one origin, time those of several."""
    newest: dict[tuple[str, str], Statement] = {}
    for s in sorted(standing, key=lambda s: (version(s), said(s))):
        newest[origin(s)] = s
    return max(newest.values(), key=said).value or ""
