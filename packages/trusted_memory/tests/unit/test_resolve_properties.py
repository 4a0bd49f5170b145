"""What holds of `resolve` and `decide` for any evidence at all, tried on evidence that nobody chose.

PROPERTY_EXAMPLES=5000 searches longer than the suite has time for.
"""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from support.reference import Belief, believe
from trusted_memory.facts.bounded import QUOTED, bounded, reaches_back
from trusted_memory.facts.decide import decide, keys, settlement
from trusted_memory.facts.evidence import Evidence, add, erase
from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Attribute
from trusted_memory.facts.words import FactRecord, Intent, Reject, Source, SourceKind, Statement

settings.register_profile("properties", max_examples=int(os.environ.get("PROPERTY_EXAMPLES", "50")), deadline=None)
settings.load_profile("properties")

START = datetime(2026, 3, 1, tzinfo=UTC)
NOW = START + timedelta(hours=6)


def hour(number: float) -> datetime:
    return START + timedelta(hours=number)


ATTRIBUTES = [
    Attribute("window", "When.", authority=authority, within_origin=within, between_origins=between)
    for authority in ((("user",),), (("tool:crm", "tool:shop"), ("user",)), (("user", "tool", "operator"),))
    for within in ("latest", "ask")
    for between in ("latest", "conflict")
]
SPEAKERS: list[tuple[SourceKind, str]] = [("user", "customer"), ("tool", "crm"), ("tool", "shop"), ("operator", "desk")]
attributes = st.sampled_from(ATTRIBUTES)
moments = st.integers(0, 12).map(hour)


@st.composite
def statements(draw: st.DrawFn, source: Source, ordinal: int) -> Statement:
    """One thing that a source says about the slot."""
    intent: Intent = draw(st.sampled_from(["state", "state", "state", "correct", "retract"]))
    value: str | None = draw(st.sampled_from(["morning", "evening", "Evening", "noon"]))
    if intent == "retract" and draw(st.booleans()):
        value = None
    return Statement(
        source.id, ordinal, source.kind, source.origin, source.version, source.observed_at, "window", "window",
        value, value.casefold() if value else None, intent,
        draw(st.none() | st.none() | moments), draw(st.none() | st.none() | st.none() | moments),
        draw(st.sampled_from([None, None, None, "x1"])) if source.kind == "user" else None,
    )  # fmt: skip


@st.composite
def sources(draw: st.DrawFn, name: str) -> list[Statement]:
    """One to three statements of one source; few moments and versions, so that many things tie."""
    kind, origin = draw(st.sampled_from(SPEAKERS))
    version = draw(st.none() | st.integers(1, 3)) if kind == "tool" else None
    source = Source(name, kind, origin, version, draw(st.integers(0, 5).map(hour)))
    return [draw(statements(source, ordinal)) for ordinal in range(draw(st.sampled_from([1, 1, 1, 2, 3])))]


@st.composite
def told(draw: st.DrawFn, most: int = 7) -> list[Statement]:
    """What several sources said, in the order of delivery."""
    return [s for n in range(draw(st.integers(1, most))) for s in draw(sources(f"m{n}"))]


def gather(said: list[Statement]) -> Evidence:
    evidence: Evidence = ()
    for s in said:
        evidence = add(evidence, s)
    return evidence


def belief(record: FactRecord | None) -> Belief | None:
    if record is None:
        return None
    return Belief(record.status, keys(record), record.support)


@given(told(), attributes)
def test_as_the_design_says(said: list[Statement], attribute: Attribute) -> None:
    """`resolve` agrees with the rules of the design, tried one by one for every pair of statements."""
    record = resolve(gather(said), attribute, NOW)
    event(record.status if record else "none")
    assert belief(record) == believe(gather(said), attribute, NOW)


@given(told(), attributes, st.randoms(use_true_random=False))
def test_f2_any_order_any_number_of_times(said: list[Statement], attribute: Attribute, chance: object) -> None:
    """F2: shuffled, doubled and later redeliveries leave exactly the same record."""
    late = [replace(s, observed_at=s.observed_at + timedelta(hours=9)) for s in said]
    delivered = [*said, *said, *late]
    chance.shuffle(delivered)  # type: ignore[attr-defined] # hypothesis's random.Random; its stub says object
    assert resolve(gather(delivered), attribute, NOW) == resolve(gather(said), attribute, NOW)


@given(told(), attributes)
def test_f4_support_is_distinct_sources(said: list[Statement], attribute: Attribute) -> None:
    """F4: support counts the sources of the standing statements; three redeliveries of everything add nothing."""
    record = resolve(gather(said * 4), attribute, NOW)
    assume(record is not None and record.status == "active")
    assert record is not None
    assert record.support == len({s.source for s in record.standing}) >= 1
    assert {s.key for s in record.standing} == {record.value.casefold() if record.value else None}


NAMES = {"active": "Replace", "conflict": "Conflict", "retracted": "Retract", None: "Retract"}


@given(told(), attributes)
def test_decide_is_the_difference_of_two_resolves(said: list[Statement], attribute: Attribute) -> None:
    """A decision is what the statement changed: its before and after are `resolve` without and with the statement."""
    evidence = gather(said[:-1])
    decision = decide(said[-1], evidence, attribute, NOW)
    before, after = resolve(evidence, attribute, NOW), resolve(add(evidence, said[-1]), attribute, NOW)
    assert (decision.before, decision.after) == (before, after)
    was, now_is = belief(before), belief(after)
    name = type(decision).__name__
    event(f"{name} {decision.reason}" if isinstance(decision, Reject) else name)
    if (was and was[:2]) != (now_is and now_is[:2]):
        expected = NAMES[now_is.status if now_is else None]
        if now_is and now_is.status == "active" and (was is None or was.status != "active"):
            expected = "Insert"
        assert name == expected
    elif now_is and was and now_is.support > was.support:
        assert name == "Merge"
    else:
        assert name in {"NoOp", "Reject", "Conflict", "Merge"}
        assert name != "Conflict" or (now_is and now_is.status == "conflict")
    again = decide(said[-1], add(evidence, said[-1]), attribute, NOW)
    assert type(again).__name__ == "NoOp", "a redelivery is a no-op"


@given(told(), attributes, st.data())
def test_erasing_in_any_order(said: list[Statement], attribute: Attribute, data: st.DataObject) -> None:
    """Erasing two sources ends in the same record whichever goes first, and never adds support by itself."""
    one, two = (data.draw(st.sampled_from([*{s.source for s in said}, "x1"])) for _ in range(2))
    evidence = gather(said)
    first = erase(erase(evidence, one, "t1"), two, "t1" if one == two else "t2")
    second = erase(erase(evidence, two, "t2"), one, "t2" if one == two else "t1")
    assert belief(resolve(first, attribute, NOW)) == belief(resolve(second, attribute, NOW))
    assert not {s.source for s in first} & {one, two}


@given(told(), attributes, sources("w1"))
def test_erasing_brings_nothing_withdrawn_back(
    said: list[Statement], attribute: Attribute, withdrawing: list[Statement]
) -> None:
    """Erasing a source that only withdrew changes nothing that is believed."""
    evidence = gather([*said, *(replace(s, intent="retract", accepts=None) for s in withdrawing)])
    left = resolve(erase(evidence, "w1", "t1"), attribute, NOW)
    assert belief(left) == belief(resolve(evidence, attribute, NOW))


# A conflict can't be drawn directly without repeating the rules, so most draws are thrown away.
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(told(), attributes, st.data())
def test_a_settlement_settles_and_can_be_erased(
    said: list[Statement], attribute: Attribute, data: st.DataObject
) -> None:
    """Choosing one side of a conflict ends it; erasing the settlement brings the conflict back, whole."""
    evidence = gather(said)
    record = resolve(evidence, attribute, NOW)
    assume(record is not None and record.status == "conflict")
    assert record is not None
    desk = Source("r1", "operator", "desk", None, hour(13))
    chosen = data.draw(st.sampled_from(sorted(k for k in keys(record) if k)))
    losers = tuple(s.id for s in record.standing if s.key != chosen)
    by = settlement("window", losers, data.draw(st.none() | st.just(chosen)), desk, evidence, attribute, NOW)
    settled = resolve(add(evidence, by), attribute, NOW)
    assert settled is not None
    assert belief(settled) == Belief("active", frozenset({chosen}), settled.support)
    assert "r1" not in {s.source for s in settled.standing}, "what a side said already needs no word of the reviewer's"
    assert type(decide(by, add(evidence, by), attribute, NOW)).__name__ == "NoOp"
    assert resolve(erase(add(evidence, by), "r1", "t"), attribute, NOW) == record


@given(told(), attributes)
def test_time_alone_changes_nothing_before_it_says_so(said: list[Statement], attribute: Attribute) -> None:
    """Until `changes_at` the record stays what it is."""
    evidence = gather(said)
    for earlier, later in pairwise(hour(h) for h in range(14)):
        record = resolve(evidence, attribute, earlier)
        if record is not None and (record.changes_at is None or later < record.changes_at):
            assert resolve(evidence, attribute, later) == record


@st.composite
def histories(draw: st.DrawFn) -> list[list[Statement]]:
    """A long life of one slot: mostly in order, sometimes late, with the odd settlement of two statements."""
    life: list[list[Statement]] = []
    for n in range(draw(st.integers(12, 40))):
        [*said] = draw(sources(f"m{n}"))
        at = hour(n - draw(st.sampled_from([0, 0, 0, 0, 0, 2, 15])))
        life.append([replace(s, observed_at=at, valid_from=_near(s.valid_from, n), valid_until=_near(s.valid_until, n))
                     for s in said])  # fmt: skip
        if draw(st.integers(0, 15)) == 0:
            retires = tuple(s.id for s in draw(st.sampled_from(life)))
            value = draw(st.sampled_from([None, "noon"]))
            by = Statement(f"r{n}", 0, "operator", "desk", None, hour(n), "window", "window", value, value, "settle",
                           retires=retires, rank=0)  # fmt: skip
            life.append([by])
    return life


def _near(moment: datetime | None, n: int) -> datetime | None:
    return moment and moment + timedelta(hours=n - 6)


@given(histories(), attributes)
def test_bounded_evidence_says_the_same(life: list[list[Statement]], attribute: Attribute) -> None:
    """Leaving out what can't matter any more changes no answer, whatever is said afterwards, in whatever order."""
    whole: Evidence = ()
    read: Evidence = ()
    until: datetime | None = None
    for n, said in enumerate(life):
        now = hour(n)
        if until and any(s.retires or reaches_back(s, read, until) for s in said):
            read, until = whole, None
        for s in said:
            whole, read = add(whole, s), add(read, s)
        for at in (now, now + timedelta(hours=5)):
            assert answer(resolve(read, attribute, at)) == answer(resolve(whole, attribute, at))
        if len(read) > 10:
            left = bounded(read, attribute, now)
            read, until = left.kept, max(filter(None, (left.until, until)), default=None)
            assert answer(resolve(read, attribute, now)) == answer(resolve(whole, attribute, now))
    event(f"left out {min(len(whole) - len(read), 20) // 5 * 5}+")


def answer(record: FactRecord | None) -> object:
    """What a record says, with the newest of what it rests on."""
    if record is None:
        return None
    quoted = [(s.id, s.quote) for s in record.standing[-QUOTED:]] if record.status == "active" else keys(record)
    return replace(record, standing=()), quoted


@pytest.mark.parametrize("value", ["evening", None], ids=["corrections", "withdrawals"])
@pytest.mark.parametrize("version", [None, 7], ids=["unversioned", "versioned"])
def test_bounded_evidence_is_small(value: str | None, version: int | None) -> None:
    """Of 2,000 corrections, confirmations and withdrawals a few dozen statements are read; support stays exact."""
    attribute = ATTRIBUTES[-1]
    kind, origin = SPEAKERS[0 if version is None else 1]
    said = [
        Statement(f"m{n}", 0, kind, origin, version and version + n // 1000, hour(n), "window", "window", v, v,
                  "correct" if v else "retract")
        for n in range(2000) for v in (["morning", value][n % 2] if n < 1000 else "noon",)
    ]  # fmt: skip
    read: Evidence = ()
    for s in said:
        read = (*read, s)
        if len(read) > 32:
            read = bounded(read, attribute, s.observed_at).kept
            assert len(read) <= 24
    record = resolve(read, attribute, hour(2000))
    assert record is not None
    assert (record.value, record.support) == ("noon", 1000)
    assert answer(record) == answer(resolve(tuple(said), attribute, hour(2000)))
