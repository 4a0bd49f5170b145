"""Every outcome of `decide` once, smallest first, so that a failure names the row of the table that broke."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from trusted_memory.facts.decide import admit, decide
from trusted_memory.facts.evidence import Evidence, add
from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Attribute, schema
from trusted_memory.facts.words import Claim, Reject, Source, SourceKind, Statement

START = datetime(2026, 3, 1, tzinfo=UTC)
NOW = START + timedelta(hours=50)
# The customer system outranks what is said in a conversation; two origins of one group that differ are in conflict.
WINDOW = Attribute(
    "window", "When to deliver.", authority=(("tool:crm",), ("user", "tool", "operator")), between_origins="conflict"
)
ALLERGY = Attribute("allergy", "What to avoid.", many=True)
SCHEMA = schema([WINDOW, ALLERGY])


def hour(number: int) -> datetime:
    return START + timedelta(hours=number)


def said(value: str | None, at: int, source: str = "", origin: str = "user:customer", **more: Any) -> Statement:
    kind, _, name = origin.partition(":")
    given: dict[str, Any] = {"version": None, "ordinal": 0} | more
    key = value.casefold() if value else None
    return Statement(
        source=source or f"m{at}", kind=cast(SourceKind, kind), origin=name, observed_at=hour(at), attribute="window",
        slot="window", value=value, key=key, **given,
    )  # fmt: skip


@dataclass(frozen=True)
class Row:
    name: str
    evidence: list[Statement]
    statement: Statement
    decision: str
    value: str  # or "conflict", "withdrawn"
    support: int = 0


MORNING = said("morning", 1)
ROWS = [
    Row("insert", [], MORNING, "Insert", "morning", 1),
    Row("redelivered", [MORNING], said("morning", 5, "m1"), "NoOp", "morning", 1),
    Row("same source again", [MORNING], said("morning", 1, "m1", ordinal=1), "NoOp", "morning", 1),
    Row("merge", [MORNING], said("morning", 2), "Merge", "morning", 2),
    Row("replace", [MORNING], said("evening", 2), "Replace", "evening", 1),
    Row("replace drops old support", [MORNING, said("morning", 2)], said("evening", 3), "Replace", "evening", 1),
    Row("retract", [MORNING], said(None, 2, intent="retract"), "Retract", "withdrawn"),
    Row("conflict", [MORNING], said("evening", 2, origin="tool:shop"), "Conflict", "conflict"),
    Row("agreeing origins", [MORNING], said("morning", 2, origin="tool:shop"), "Merge", "morning", 2),
    Row("stronger", [MORNING], said("evening", 0, origin="tool:crm"), "Replace", "evening", 1),
    Row("stronger agrees", [MORNING], said("morning", 0, origin="tool:crm"), "Merge", "morning", 1),
    Row("outranked", [said("evening", 1, origin="tool:crm")], said("morning", 2), "outranked", "evening", 1),
    Row("stale", [said("evening", 2)], MORNING, "stale", "evening", 1),
    Row("older version", [said("evening", 1, origin="tool:shop", version=2)],
        said("morning", 9, origin="tool:shop", version=1), "stale", "evening", 1),
    Row("expired", [MORNING], said("evening", 2, valid_until=hour(49)), "expired", "morning", 1),
    Row("not yet valid", [MORNING], said("evening", 2, valid_from=hour(51)), "not_yet_valid", "morning", 1),
    Row("temporary", [MORNING], said("evening", 2, valid_until=hour(51)), "Replace", "evening", 1),
    Row("covered", [said("evening", 1, valid_until=hour(51))], said("morning", 2), "covered", "evening", 1),
    Row("not held", [MORNING], said("noon", 2, intent="retract"), "not_held", "morning", 1),
    Row("withdrawn earlier", [said("evening", 3)], said("evening", 2, intent="retract"), "stale", "evening", 1),
    Row("said after a withdrawal", [MORNING, said(None, 2, intent="retract")], said("noon", 3), "Insert", "noon", 1),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name.replace(" ", "_"))
def test_decision(row: Row) -> None:
    """One more statement has the outcome that the table names, and leaves the record that it implies."""
    evidence: Evidence = ()
    for statement in row.evidence:
        evidence = add(evidence, statement)
    decision = decide(row.statement, evidence, WINDOW, NOW)
    record = resolve(add(evidence, row.statement), WINDOW, NOW)
    assert (decision.reason if isinstance(decision, Reject) else type(decision).__name__) == row.decision
    assert record is not None
    shown = {"active": record.value, "conflict": "conflict", "retracted": "withdrawn"}[record.status]
    assert (shown, record.support) == (row.value, row.support)


@pytest.mark.parametrize(
    ("claim", "kind", "reason"),
    [
        (Claim("colour", "red"), "user", "unknown_attribute"),
        (Claim("window", "  "), "user", "unreadable_value"),
        (Claim("allergy", None, intent="retract"), "user", "unreadable_value"),
        (Claim("window", "evening"), "assistant", "not_accepted"),
        (Claim("allergy", "nuts"), "tool", "no_authority"),
        (Claim("window", "evening", found="derived"), "user", "derived"),
    ],
    ids=["unknown", "unreadable", "retract_names_no_value", "assistant", "no_authority", "derived"],
)
def test_what_is_not_evidence(claim: Claim, kind: SourceKind, reason: str) -> None:
    """F3, F10: what may not be believed is refused before it is compared with anything."""
    refused = admit(claim, Source("m1", kind, "somebody", None, START), 0, SCHEMA)
    assert isinstance(refused, Reject)
    assert refused.reason == reason


def test_the_assistant_can_have_no_authority() -> None:
    """F3: an attribute that lets the assistant speak cannot be declared."""
    with pytest.raises(ValueError, match="has no authority"):
        Attribute("window", "When to deliver.", authority=(("user", "assistant"),))


def test_the_earliest_delivery_counts() -> None:
    """F2: a redelivery with a later time does not make an old word new."""
    evidence = add(add((), said("evening", 2)), MORNING)
    evidence = add(evidence, said("morning", 9, "m1"))
    record = resolve(evidence, WINDOW, NOW)
    assert record is not None
    assert record.value == "evening"
