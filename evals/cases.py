"""Decision cases (the specification by example) through the real commit path, in every delivery."""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from evals.deliver import EXTRACTOR, KEY, Result
from trusted_memory.facts.batch import Outcome, Reading
from trusted_memory.facts.schema import Attribute, schema
from trusted_memory.facts.words import Claim, Reject, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.pool import Database, subject_id
from trusted_memory.storage.recall import recall

Case = Mapping[str, Any]
Event = Mapping[str, Any]


async def play_cases(uri: str, cases: Sequence[Case], delivery: str) -> Result:
    """All cases, each for a subject of its own. In the given order the decisions are compared, too."""
    database = Database(uri)
    disagreeing = []
    for number, case in enumerate(cases):
        if not await _Play(database, case, f"case-{number}").agrees(delivery):
            disagreeing.append(case["case"])
    await database.close()
    return {"cases": len(cases), "agreeing": len(cases) - len(disagreeing), "disagreeing": disagreeing}


class _Play:
    def __init__(self, database: Database, case: Case, user: str) -> None:
        attributes = schema(
            Attribute(
                name, name, tuple(map(tuple, a["authority"])), a["many"], a["within_origin"], a["between_origins"]
            )
            for name, a in case["attributes"].items()
        )
        self.database = database
        self.case = case
        self.now = datetime.fromisoformat(case["now"])
        self.committer = Committer(database, attributes, lambda: KEY)
        self.subject = Subject("cases", user)
        self.chance = random.Random(case["case"])
        self.decided: list[str] = []

    async def agrees(self, delivery: str) -> bool:
        told = [e for e in self.case["events"] if "source" in e]
        acts = [e for e in self.case["events"] if "source" not in e]  # come after what they refer to
        again: list[Event] = self.chance.sample(told, len(told))
        match delivery:
            case "in-order":
                await self._deliver(self.case["events"])
                if self.decided != self.case["expect_decisions"]:
                    return False
            case "twice":
                await self._deliver([e for event in self.case["events"] for e in (event, event)])
            case "late":
                await self._deliver([*self.case["events"], *told])
            case _:
                # What was said is on record before it is read in any order.
                for event in told:
                    await self._record(event["source"])
                await self._in_batches(
                    again if delivery == "shuffled" else self.chance.sample(again * 2, len(again) * 2)
                )
                for act in acts:
                    await self._deliver([act, *again])
        return bool(await self._found() == self.case["expect"])

    async def _deliver(self, events: Sequence[Event]) -> None:
        for event in events:
            match event:
                case {"source": source, "statements": _}:
                    await self._record(source)
                    await self._commit([event])
                case {"settle": settle}:
                    await self._settle(settle)
                case {"erase": erase}:
                    await self.committer.erase(self.subject, erase["source"], now=self.now)

    async def _in_batches(self, events: Sequence[Event]) -> None:
        rest = list(events)
        while rest:
            size = self.chance.randint(1, len(rest))
            batch, rest = rest[:size], rest[size:]
            await self._commit(batch)

    async def _commit(self, events: Sequence[Event]) -> None:
        readings = [Reading(e["source"]["id"], tuple(map(_claim, e["statements"]))) for e in events]
        outcomes = await self.committer.commit(self.subject, readings, extractor=EXTRACTOR, now=self.now)
        self.decided += map(_name, outcomes)

    async def _record(self, source: Mapping[str, Any]) -> None:
        message = transcript.Message(
            source["id"], "case", source["kind"], source["origin"], datetime.fromisoformat(source["observed_at"]), "",
            source["version"],
        )  # fmt: skip
        async with self.database.connection() as connection:
            await transcript.record(connection, self.subject, [message], KEY)

    async def _settle(self, settle: Mapping[str, Any]) -> None:
        by = settle["by"]
        await self._record({**by, "kind": "operator", "version": None, "observed_at": settle["observed_at"]})
        retires = [(source, ordinal) for source, ordinal in settle["retires"]]
        outcomes = await self.committer.settle(
            self.subject, settle["slot"], retires, settle["value"], by=by["id"], now=self.now
        )
        self.decided += map(_name, outcomes)

    async def _found(self) -> dict[str, Any]:
        async with self.database.connection() as connection:
            held = await recall(connection, self.subject, self.committer.schema, self.now)
            rows = await (
                await connection.execute(
                    "select slot from record where subject = %s and status = 'retracted'", (subject_id(self.subject),)
                )
            ).fetchall()
        found: dict[str, Any] = {row["slot"]: {"status": "retracted"} for row in rows}
        for slot, fact in held.facts.items():
            found[slot] = {"status": "active", "value": fact["value"], "support": fact["support"]}
        for slot, record in held.conflicts.items():
            found[slot] = {"status": "conflict", "values": list(record.values)}
        return found


def _claim(s: Mapping[str, Any]) -> Claim:
    start, end = (datetime.fromisoformat(s[k]) if s[k] else None for k in ("valid_from", "valid_until"))
    return Claim(s["attribute"], s["value"], "", s["intent"], start, end, s["accepts"])


def _name(outcome: Outcome) -> str:
    decision = outcome.decision
    name = type(decision).__name__.lower()
    return f"{name}:{decision.reason}" if isinstance(decision, Reject) else name
