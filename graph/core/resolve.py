"""What is believed about one slot, as a function of the set of statements about it and of the time.

Nothing here looks at the order of arrival. Four relations decide, and each is a few lines below: which group counts,
what a withdrawal reaches, what a later word of the same origin replaces, and how origins that differ are reconciled.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from graph.core.schema import Attribute
from graph.core.words import FactRecord, Statement

Evidence = tuple[Statement, ...]


def add(evidence: Evidence, statement: Statement) -> Evidence:
    """The evidence with one more statement. Of two deliveries of a source the earliest time counts."""
    known = {s.id: s for s in evidence}
    times = [s.observed_at for s in evidence if s.source == statement.source]
    earliest = min([statement.observed_at, *times])
    known.setdefault(statement.id, statement)
    return tuple(
        replace(s, observed_at=earliest) if s.source == statement.source and s.observed_at != earliest else s
        for s in known.values()
    )


def erase(evidence: Evidence, source: str, tombstone: str) -> Evidence:
    """The evidence without a source. Of its withdrawals a bare tombstone stays, so that nothing withdrawn returns."""
    kept: list[Statement] = []
    for s in evidence:
        if source not in (s.source, s.accepts):
            kept.append(s)
        elif s.intent == "retract":
            kept.append(replace(s, source=tombstone, quote="", value=None, accepts=None))
    return tuple(kept)


def resolve(evidence: Evidence, attribute: Attribute, now: datetime) -> FactRecord | None:
    """The record of one slot at `now`, or None where nothing counts.

    The evidence must hold a source and ordinal once (`add` sees to it).
    """
    if not evidence:
        return None
    retired = {target for s in evidence for target in s.retires}
    changes_at = min((t for s in evidence for t in (s.valid_from, s.valid_until) if t and t > now), default=None)
    spoken = [(rank, s) for s in evidence if _is_word(s, now) and (rank := rank_of(s, attribute)) is not None]
    if not spoken:
        return None
    counting = min(rank for rank, _ in spoken)
    group = [s for rank, s in spoken if rank == counting]
    withdrawals = [s for s in group if s.intent == "retract"]
    values = [s for s in group if s.intent != "retract" and not _withdrawn_before_start(s, withdrawals)]
    gone = {s.id for s in values if s.id in retired or any(withdraws(w, s) for w in withdrawals)}

    cover, covered = _layer([s for s in values if s.valid_until], gone, attribute)
    base, standing = _layer([s for s in values if not s.valid_until], gone, attribute)
    sides = cover or base
    standing += covered

    slot = evidence[0].slot
    record = FactRecord(slot, attribute.name, "active", rank=counting, temporary=bool(cover), changes_at=changes_at)
    wordings = {key: _last_wording([s for s in standing if s.key == key]) for key in {s.key for s in sides}}
    match list(wordings.items()):
        case []:
            if not _ends_in_withdrawal(withdrawals, values, gone):
                return None
            return replace(record, status="retracted", standing=tuple(withdrawals))
        case [(key, shown)]:
            basis = tuple(sorted((s for s in standing if s.key == key), key=_said))
            return replace(record, value=shown, support=len({s.source for s in basis}), standing=basis)
        case _:
            return replace(
                record,
                status="conflict",
                values=tuple(sorted(wordings.values())),
                standing=tuple(sorted(sides, key=_said)),
            )


def rank_of(s: Statement, attribute: Attribute) -> int | None:
    """Authority group of a statement, 0 the strongest. A settlement has the rank of the statements it retired."""
    return s.rank if s.rank is not None else attribute.rank(s.kind, s.origin)


def withdraws(w: Statement, s: Statement) -> bool:
    """Whether the withdrawal reaches the statement: it names its value, or none, and was said after it."""
    return w.key in (None, s.key) and _before(s, w)


def _is_word(s: Statement, now: datetime) -> bool:
    """Valid at `now` ([from, until)), and not a settlement that merely retires."""
    if s.intent == "settle" and s.key is None:
        return False
    return (s.valid_from is None or s.valid_from <= now) and (s.valid_until is None or now < s.valid_until)


def _withdrawn_before_start(s: Statement, withdrawals: list[Statement]) -> bool:
    """An announced change that was withdrawn before it began replaced nothing."""
    start = s.valid_from
    return start is not None and any(withdraws(w, s) and max(w.observed_at, w.valid_from or w.observed_at) < start
                                     for w in withdrawals)  # fmt: skip


def _origin(s: Statement) -> tuple[str, str]:
    return s.kind, s.origin


def _moment(s: Statement) -> tuple[datetime, datetime]:
    """When a statement takes its place among others: when it was said, or at its start if it has no end."""
    if s.valid_from and not s.valid_until:
        return s.valid_from, s.observed_at
    return s.observed_at, s.observed_at


def _said(s: Statement) -> tuple[datetime, str, int]:
    return s.observed_at, s.source, s.ordinal


def _version(s: Statement) -> tuple[bool, int]:
    """Unversioned comes before any version."""
    return s.version is not None, s.version or 0


def _before(s: Statement, w: Statement) -> bool:
    """Whether s was said before w. Versions are compared within one origin, positions within one unversioned source."""
    if _origin(s) == _origin(w) and (s.version is not None or w.version is not None):
        return _version(s) < _version(w)
    if s.source == w.source:
        return s.ordinal < w.ordinal
    return s.observed_at < w.observed_at


def _layer(
    values: list[Statement], gone: set[tuple[str, int]], attribute: Attribute
) -> tuple[list[Statement], list[Statement]]:
    """Base or temporary values: (those that are believed or disputed, all those that stand within their origin)."""
    origins: dict[tuple[str, str], list[Statement]] = {}
    for s in values:
        origins.setdefault(_origin(s), []).append(s)
    unreplaced = {o: _unreplaced(said, ask=attribute.within_origin == "ask") for o, said in origins.items()}
    standing = [s for said in unreplaced.values() for s in said if s.id not in gone]
    if len(origins) < 2 or attribute.between_origins == "conflict":
        return standing, standing
    # The latest origin's word counts, even if it is gone by now: what it had replaced does not return.
    latest = {o: max(_moment(s) for s in said) for o, said in unreplaced.items()}
    last = max(latest.values())
    return [s for s in standing if latest[_origin(s)] == last], standing


def _unreplaced(values: list[Statement], *, ask: bool) -> list[Statement]:
    """The statements of one origin that no later word of it replaces. Different values that nothing orders both stay.

    Walks from the newest to the oldest and remembers the keys that were said later; two keys are enough to know
    whether one of them differs, so a slot with thousands of statements stays linear.
    """
    kept: list[Statement] = []
    newer_versions: set[str | None] = set()
    for (versioned, _), same_version in groupby(sorted(values, key=_version, reverse=True), key=_version):
        of_version = list(same_version)
        later: set[str | None] = set()
        if versioned:
            kept += [s for s in of_version if not newer_versions - {s.key}]
        else:
            for _, same_moment in groupby(sorted(of_version, key=_moment, reverse=True), key=_moment):
                tied = list(same_moment)
                for s in tied:
                    after = {
                        t.key for t in tied if t.source == s.source and t.ordinal > s.ordinal and _takes_over(t, ask)
                    }
                    if not (after | later | newer_versions) - {s.key}:
                        kept.append(s)
                _remember(later, (t.key for t in tied if _takes_over(t, ask)))
        _remember(newer_versions, (s.key for s in of_version))
    return kept


def _takes_over(s: Statement, ask: bool) -> bool:
    """Whether a later different value replaces: always under `latest`, only an explicit word under `ask`."""
    return not ask or s.intent in ("correct", "settle") or s.accepts is not None


def _remember(keys: set[str | None], more: Iterable[str | None]) -> None:
    for key in more:
        if len(keys) < 2:
            keys.add(key)


def _last_wording(standing: list[Statement]) -> str:
    """The wording said last; versions order the statements of one origin, time those of several."""
    newest: dict[tuple[str, str], Statement] = {}
    for s in sorted(standing, key=lambda s: (_version(s), _said(s))):
        newest[_origin(s)] = s
    return max(newest.values(), key=_said).value or ""


def _ends_in_withdrawal(withdrawals: list[Statement], values: list[Statement], gone: set[tuple[str, int]]) -> bool:
    """Whether the last word of a slot in which nothing stands is a withdrawal (and was not settled away)."""
    settled = [s.observed_at for s in values if s.id in gone and not any(withdraws(w, s) for w in withdrawals)]
    last = max((w.observed_at for w in withdrawals), default=None)
    return last is not None and all(moment <= last for moment in settled)
