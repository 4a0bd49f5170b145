"""Plays decision cases (format in the data's README) through the pure core, without a database."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from trusted_memory.facts.decide import admit, decide, settlement
from trusted_memory.facts.evidence import Evidence, add, erase
from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Attribute, Schema, schema
from trusted_memory.facts.words import Claim, Decision, FactRecord, NoOp, Reject, Source, Statement

Event = dict[str, Any]
SHARED = Path(os.environ.get("APP_SHARED_DATA", Path(__file__).parents[5] / "shared" / "data"))


def moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def outcome(decision: Decision) -> str:
    name = type(decision).__name__.lower()
    return f"reject:{decision.reason}" if isinstance(decision, Reject) else name


def summary(record: FactRecord) -> dict[str, Any]:
    match record.status:
        case "active":
            return {"status": "active", "value": record.value, "support": record.support}
        case "conflict":
            return {"status": "conflict", "values": list(record.values)}
        case _:
            return {"status": "retracted"}


@dataclass
class Book:
    """Evidence by slot, in memory: what the storage does, as a model of it."""

    schema: Schema
    now: datetime
    slots: dict[str, Evidence] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)

    def tell(self, source: Source, claims: Sequence[Claim]) -> list[Decision]:
        return [self._one(admit(c, source, i, self.schema)) for i, c in enumerate(claims)]

    def _one(self, statement: Statement | Reject) -> Decision:
        if isinstance(statement, Reject):
            return statement
        if {statement.source, statement.accepts} & self.erased:
            return NoOp(statement, None, None)
        evidence = self.slots.get(statement.slot, ())
        decision = decide(statement, evidence, self.schema[statement.attribute], self.now)
        self.slots[statement.slot] = add(evidence, statement)
        return decision

    def settle(self, slot: str, retires: list[tuple[str, int]], value: str | None, by: Source) -> Decision:
        evidence = self.slots[slot]
        attribute = self.schema[evidence[0].attribute]
        return self._one(settlement(slot, tuple(retires), value, by, evidence, attribute, self.now))

    def erase(self, source: str) -> None:
        self.erased.add(source)
        self.slots = {slot: erase(e, source, f"erased:{hash(source)}") for slot, e in self.slots.items()}

    def records(self) -> dict[str, FactRecord]:
        found = {s: resolve(e, self.schema[e[0].attribute], self.now) for s, e in self.slots.items() if e}
        return {slot: record for slot, record in found.items() if record}


def claim(s: dict[str, Any]) -> Claim:
    return Claim(
        s["attribute"], s["value"], "", s["intent"], moment(s["valid_from"]), moment(s["valid_until"]), s["accepts"]
    )


def source(s: dict[str, Any]) -> Source:
    at = moment(s["observed_at"])
    assert at
    return Source(s["id"], s["kind"], s["origin"], s["version"], at)


@dataclass(frozen=True)
class Case:
    name: str
    schema: Schema
    now: datetime
    events: list[Event]
    expect: dict[str, Any]
    expect_decisions: list[str]

    def play(self, events: Sequence[Event]) -> tuple[list[str], dict[str, Any]]:
        """(decisions by name, records) after the events in this order."""
        book, decisions = Book(self.schema, self.now), list[str]()
        for event in events:
            match event:
                case {"source": told, "statements": statements}:
                    decisions += map(outcome, book.tell(source(told), [claim(s) for s in statements]))
                case {"settle": s}:
                    by = Source(
                        s["by"]["id"], "operator", s["by"]["origin"], None, datetime.fromisoformat(s["observed_at"])
                    )
                    decisions.append(outcome(book.settle(s["slot"], [(a, b) for a, b in s["retires"]], s["value"], by)))
                case {"erase": e}:
                    book.erase(e["source"])
        return decisions, {slot: summary(record) for slot, record in book.records().items()}

    def shuffled(self, chance: Random, *, doubled: bool) -> list[Event]:
        """Statements in any order; settlements and erasures keep theirs, with redeliveries among and after them."""
        told = [e for e in self.events if "source" in e]
        late = [e for e in self.events if "source" not in e]
        again = chance.sample(told, len(told)) if doubled else []
        chance.shuffle(told)
        return told + [e for act in late for e in [act, *again]] + again


def load_cases() -> list[Case]:
    path = SHARED / "decision_cases.jsonl"
    if not path.exists():
        return []
    return [read(json.loads(line)) for line in path.read_text().splitlines()]


def read(d: dict[str, Any]) -> Case:
    attributes = schema(
        Attribute(name, name, tuple(map(tuple, a["authority"])), a["many"], a["within_origin"], a["between_origins"])
        for name, a in d["attributes"].items()
    )
    return Case(
        d["case"], attributes, datetime.fromisoformat(d["now"]), d["events"], d["expect"], d["expect_decisions"]
    )
