"""F9 over random histories: in whatever order things are said, settled and forgotten, the rest holds."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

import pytest

from support.casebook import Book, summary
from support.database import SCHEMA
from support.rights import NOW, START, where
from trusted_memory.facts.batch import Reading
from trusted_memory.facts.words import Claim, Intent, Source, SourceKind, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.erasure.erase import forget
from trusted_memory.storage.pool import Database
from trusted_memory.storage.rebuild import check
from trusted_memory.storage.recall import recall
from trusted_memory.storage.review import Settlement, conflicts, settle
from trusted_memory.storage.transcript import Message

INTENTS: tuple[Intent, ...] = ("state", "state", "correct", "retract")
VALUES = {
    "window": ("zquar", "zfeld", "zmorn"),
    "name": ("Zed Quetzal", "Zoë"),
    "allergy": ("znuts", "zmilk", "zegg"),
    "tier": ("zgold", "ztin"),
}


class History:
    """Plays events on the database and on the pure core side by side."""

    def __init__(self, committer: Committer, subject: Subject, chance: Random) -> None:
        self.committer, self.subject, self.chance = committer, subject, chance
        self.book = Book(SCHEMA, NOW)
        self.said: dict[str, tuple[Source, tuple[Claim, ...]]] = {}
        self.proposed: dict[str | None, str | None] = {}
        self.erased = set[str]()

    async def say(self, number: int) -> None:
        chance = self.chance
        name = chance.choice(sorted(VALUES))
        value: str | None = chance.choice(VALUES[name])
        at = START + timedelta(minutes=chance.randrange(2000))
        kind: SourceKind = "user"
        origin, intent, accepts = "customer", chance.choice(INTENTS), None
        if name == "tier" and chance.random() < 0.7:
            kind, origin, intent = "tool", chance.choice(("account", "loyalty")), "state"
        elif chance.random() < 0.2:
            accepts = f"assistant-{number}"
            self.proposed[accepts] = value
            await self._record(
                Source(accepts, "assistant", "assistant", None, at, f"Shall it be {value}, trace-{accepts} ?")
            )
        if intent == "retract" and not SCHEMA[name].many and chance.random() < 0.5:
            value = None
        shown = "yes" if accepts else value or "nothing"
        text = f"Well, {shown} it is for message trace-source-{number} of mine"
        source = Source(f"source-{number}", kind, origin, None, at, text)
        claims = (Claim(name, value, f"{shown} it is for", intent, accepts=accepts),)
        self.said[source.id] = (source, claims)
        await self.tell(source.id)

    async def tell(self, name: str) -> None:
        """Deliver a message, perhaps again."""
        source, claims = self.said[name]
        await self._record(source)
        await self.committer.commit(self.subject, [Reading(source.id, claims)], extractor="test", now=NOW)
        if name not in self.erased:
            self.book.tell(source, claims)

    async def settle(self, number: int) -> None:
        async with self.committer.database.connection() as connection:
            found = (await conflicts(connection, SCHEMA, now=NOW))["conflicts"]
        if not found:
            return
        slot, side = found[0]["slot"], self.chance.choice(found[0]["sides"])
        by = f"settlement-{number}"
        result = await settle(
            self.committer, self.subject, Settlement(slot, side["value"], "desk:anna", source=by), now=NOW
        )
        assert result["decision"] == "insert"
        losers = [
            (s["statement"][0], s["statement"][1]) for o in found[0]["sides"] if o is not side for s in o["statements"]
        ]
        self.book.settle(slot, losers, None, Source(by, "operator", "desk", None, NOW, f"desk:anna settled {slot}."))

    async def erase(self) -> None:
        async with self.committer.database.connection() as connection:
            query = "select source from transcript where subject = 'shop.ana' order by source"
            rows = await (await connection.execute(query)).fetchall()
        name = self.chance.choice([row["source"] for row in rows])
        receipt = await forget(self.committer, self.subject, source=name, now=NOW)
        async with self.committer.database.connection() as connection:
            left = {row["source"] for row in await (await connection.execute(query)).fetchall()}
        gone = {row["source"] for row in rows} - left
        assert name in gone
        assert receipt["reached"]["messages"] == len(gone)
        for source in gone:
            self.book.erase(source)
        self.erased |= gone

    async def _record(self, source: Source) -> None:
        at: datetime = source.observed_at
        message = Message(source.id, "thread", source.kind, source.origin, at, source.text)
        async with self.committer.database.connection() as connection:
            await transcript.record(connection, self.subject, [message], self.committer.key())

    async def held(self) -> dict[str, object]:
        async with self.committer.database.connection() as connection:
            held = await recall(connection, self.subject, SCHEMA, NOW)
        facts = {s: {"status": "active", "value": f["value"], "support": f["support"]} for s, f in held.facts.items()}
        return facts | {s: summary(r) for s, r in held.conflicts.items()}

    def unsupported(self) -> Sequence[str]:
        """Values that no statement left names (nor a proposal it rests on), and words of erased messages."""
        left = [s for evidence in self.book.slots.values() for s in evidence]
        named = {s.value for s in left} | {self.proposed.get(s.accepts) for s in left}
        values = [v for many in VALUES.values() for v in many if v not in named]
        return [*values, *(f"{name}\n" for name in self.erased), *(f"trace-{name} " for name in self.erased)]


@pytest.mark.parametrize("seed", range(10))
async def test_f9_over_histories(committer: Committer, database: Database, subject: Subject, seed: int) -> None:
    """After each act the records are those of the pure core; at the end nothing unsupported or erased is found."""
    chance = Random(seed)
    history = History(committer, subject, chance)
    for number in range(35):
        dice = chance.random()
        if dice < 0.6 or number < 8:
            await history.say(number)
        elif dice < 0.7:
            await history.tell(chance.choice(sorted(history.said)))
        elif dice < 0.8:
            await history.settle(number)
        else:
            await history.erase()
        believed = {s: r for s, r in history.book.records().items() if r.status != "retracted"}
        assert await history.held() == {slot: summary(record) for slot, record in believed.items()}, number
    for name in sorted(history.said):
        await history.tell(name)
    assert await check(database, SCHEMA, now=NOW) == []
    assert history.erased
    assert await where(database, *history.unsupported()) == {}
