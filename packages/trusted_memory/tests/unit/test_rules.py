"""Sentences of the design that no decision case pins down alone: one small piece of evidence for each."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from trusted_memory.facts.decide import admit, decide, settlement
from trusted_memory.facts.evidence import Evidence, add, erase
from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Attribute, schema
from trusted_memory.facts.words import Claim, Reject, Source, Statement

START = datetime(2026, 3, 1, tzinfo=UTC)
NOW = START + timedelta(hours=50)
LATEST = Attribute("window", "When.", authority=(("user", "tool"), ("operator",)))
CONFLICT = replace(LATEST, between_origins="conflict")


def hour(number: float) -> datetime:
    return START + timedelta(hours=number)


def said(value: str | None, at: float, source: str = "", by: str = "user:customer", **more: Any) -> Statement:
    kind, _, origin = by.partition(":")
    given: dict[str, Any] = {"ordinal": 0, "version": None, "intent": "state" if value else "retract"} | more
    return Statement(
        source=source or f"m{at}", kind=kind, origin=origin, observed_at=hour(at), attribute="window", slot="window",  # type: ignore[arg-type] # kinds are spelled out below
        value=value, key=value, **given,
    )  # fmt: skip


def withdrawn(value: str | None, at: float, source: str = "", by: str = "user:customer", **more: Any) -> Statement:
    return said(value, at, source, by, intent="retract", **more)


@dataclass(frozen=True)
class Rule:
    sentence: str
    evidence: list[Statement]
    expected: str | None  # the value, "conflict", "retracted"
    support: int = 0
    attribute: Attribute = LATEST


A, B, DESK = "tool:a", "tool:b", "operator:desk"
RULES = [
    Rule("withdrawing the latest origin's word does not bring back the other's",
         [said("morning", 1, by=A), said("evening", 2, by=B), withdrawn("evening", 3, by=B)], "retracted"),
    Rule("under conflict the other origin's word had not been replaced",
         [said("morning", 1, by=A), said("evening", 2, by=B), withdrawn("evening", 3, by=B)], "morning", 1, CONFLICT),
    Rule("said again by the first origin, both its words stand",
         [said("morning", 1, by=A), said("evening", 2, by=B), said("morning", 4, by=A)], "morning", 2),
    Rule("an older version that comes later is not its origin's latest word",
         [said("morning", 1, by=A, version=2), said("evening", 2, by=B), said("morning", 9, by=A, version=1)],
         "evening", 1),
    Rule("withdrawn before its start, an announced change replaced nothing",
         [said("morning", 1), said("evening", 2, valid_from=hour(9)), withdrawn("evening", 5)], "morning", 1),
    Rule("withdrawn after its start, what it had replaced does not return",
         [said("morning", 1), said("evening", 2, valid_from=hour(9)), withdrawn("evening", 10)], "retracted"),
    Rule("an announced withdrawal also reaches what was said until its start",
         [said("morning", 1), withdrawn(None, 2, valid_from=hour(9)), said("evening", 5)], "retracted"),
    Rule("what starts after an announced withdrawal, and was said after it, counts",
         [withdrawn(None, 2, valid_from=hour(9)), said("evening", 3, valid_from=hour(12))], "evening", 1),
    Rule("an announced withdrawal that has not begun withdraws nothing",
         [said("morning", 1), withdrawn(None, 2, valid_from=hour(60))], "morning", 1),
    Rule("a withdrawal of an older version does not reach a newer one, whenever it was said",
         [said("morning", 1, by=A, version=5), withdrawn(None, 9, by=A, version=4)], "morning", 1),
    Rule("an unversioned withdrawal comes before any version of its origin",
         [said("morning", 1, by=A, version=5), withdrawn(None, 9, by=A)], "morning", 1),
    Rule("another origin's withdrawal reaches by time, whatever the versions",
         [said("morning", 1, by=A, version=5), withdrawn(None, 9, by=B, version=1)], "retracted"),
    Rule("in one message a withdrawal reaches what stands before it, not after it",
         [said("morning", 1, "m1"), withdrawn(None, 1, "m1", ordinal=1), said("noon", 1, "m1", ordinal=2)], "noon", 1),
    Rule("a temporary value and a base value that agree support each other",
         [said("evening", 1), said("evening", 2, valid_until=hour(60))], "evening", 2),
    Rule("a temporary value that has ended gives way to a longer one said before it",
         [said("noon", 1), said("evening", 2, valid_until=hour(60)), said("morning", 3, valid_until=hour(40))],
         "evening", 1),
    Rule("the strongest group has spoken, even if its word was settled away",
         [said("morning", 1, "m1"), said("noon", 2, by=DESK),
          said(None, 3, "r1", DESK, intent="settle", retires=(("m1", 0),), rank=0)], None),
    Rule("what a settled statement had replaced does not return",
         [said("noon", 1), said("morning", 2, "m2"),
          said(None, 3, "r1", DESK, intent="settle", retires=(("m2", 0),), rank=0)], None),
    Rule("a settled value of nobody's is withdrawn like any other of its group",
         [said("morning", 1, "m1"), said("noon", 3, "r1", DESK, intent="settle", retires=(("m1", 0),), rank=0),
          withdrawn("noon", 4)], "retracted"),
]  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: re.sub(r"\W+", "_", rule.sentence))
def test_rule(rule: Rule) -> None:
    """What is believed follows from the sentence, whatever the order of arrival."""
    for said_in_order in (rule.evidence, rule.evidence[::-1]):
        evidence: Evidence = ()
        for s in said_in_order:
            evidence = add(evidence, s)
        record = resolve(evidence, rule.attribute, NOW)
        shown = record and {"active": record.value}.get(record.status, record.status)
        assert (shown, record.support if record else 0) == (rule.expected, rule.support)


def test_settling_everything_away_withdraws_it() -> None:
    """A settlement that retires every side leaves nothing, and the decision says that it was taken away."""
    evidence = (said("morning", 1, "m1"), said("evening", 1, "m2"))
    desk = Source("r1", "operator", "desk", None, hour(3))
    by = settlement("window", (("m1", 0), ("m2", 0)), None, desk, evidence, LATEST, NOW)
    decision = decide(by, evidence, LATEST, NOW)
    assert (type(decision).__name__, decision.after) == ("Retract", None)
    late = decide(said("noon", 4, by=DESK), add(evidence, by), LATEST, NOW)
    assert isinstance(late, Reject)
    assert late.reason == "outranked"


def test_a_settlement_names_its_losers() -> None:
    """A reviewer who names a statement that is not there, or a value that can't be one, is told so."""
    desk, evidence = Source("r1", "operator", "desk", None, hour(3)), (said("morning", 1, "m1"), said("noon", 1, "m2"))
    with pytest.raises(ValueError, match="not among them"):
        settlement("window", (("m1", 0), ("m9", 0)), None, desk, evidence, LATEST, NOW)
    with pytest.raises(ValueError, match="can't be a value"):
        settlement("window", (("m1", 0),), "  ", desk, evidence, LATEST, NOW)


def test_an_earlier_delivery_ends_earlier() -> None:
    """F2: where validity follows from the time of a message, the earliest delivery sets it, in either order."""
    attribute = Attribute("window", "When.", default_validity=timedelta(hours=10))
    claims = (Claim("window", "evening"), Claim("window", "noon"))
    known = schema([attribute])
    told = [
        [admit(claim, Source("m1", "user", "customer", None, hour(at)), i, known) for i, claim in enumerate(claims)]
        for at in (5, 1)
    ]
    for deliveries in (told, told[::-1]):
        evidence: Evidence = ()
        for delivery in deliveries:
            for s in delivery:
                assert isinstance(s, Statement)
                evidence = add(evidence, s)
        assert {(s.observed_at, s.valid_until) for s in evidence} == {(hour(1), hour(11))}


def test_a_proposal_that_withdrew_leaves_a_tombstone() -> None:
    """Erasing the proposal whose acceptance withdrew a value does not bring that value back."""
    evidence = (said("morning", 1), withdrawn("morning", 2, "m2", accepts="x1"))
    record = resolve(erase(evidence, "x1", "gone"), LATEST, NOW)
    assert record is not None
    assert (record.status, record.standing[0].quote, record.standing[0].value) == ("retracted", "", None)
