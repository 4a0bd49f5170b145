"""What is believed about one slot, as a function of the set of statements about it and of the time.

Nothing here looks at the order of arrival. Four relations decide, and each is a few lines below: which group counts,
what a withdrawal reaches, what a later word of the same origin replaces, and how origins that differ are reconciled.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from trusted_memory.facts.evidence import Evidence, moment, never_began, origin, rank_of, said, version, withdraws
from trusted_memory.facts.schema import Attribute
from trusted_memory.facts.words import FactRecord, Statement


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


def _is_word(s: Statement, now: datetime) -> bool:
    """Valid at `now` ([from, until)), and not a settlement that merely retires."""
    if s.intent == "settle" and s.key is None:
        return False
    return (s.valid_from is None or s.valid_from <= now) and (s.valid_until is None or now < s.valid_until)


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
