"""F6: whatever ids look like, nobody sees, changes or infers another customer's facts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langgraph.store.postgres.aio import AsyncPostgresStore

from support.database import SCHEMA
from trusted_memory.facts.batch import Reading
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.ids import LONGEST_SOURCE, LONGEST_SUBJECT, source_id, subject_id, subject_of
from trusted_memory.storage.pool import Database
from trusted_memory.storage.rebuild import check
from trusted_memory.storage.recall import as_of, ledger, recall

NOW = datetime(2027, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
KEY = b"a key of the tests"

SURROGATE = "\ud83d"  # half a character: no identity can be that, a client's message id can
HOSTILE = [
    SURROGATE,
    "ana",
    "ana.",
    ".ana",
    "a.na",
    "ana.ana",
    "an",
    "ana_",
    "ana1",
    "ana%",
    "%",
    "a%6Ea",
    "%2E",
    "ana%2Eana",
    "_na",
    "\\ana",
    "ana/ana",
    "../ana",
    "ana'; drop table statement; --",
    'ana"',
    "Ana",
    "ana ",
    " ana",
    "ana\n",
    "ana\t",
    "ana\x00",
    "аna",  # noqa: RUF001 - begins with a Cyrillic letter
    "\u00e1na",
    "a\u0301na",
    "ana\u200b",
    "\u202eana",
    "\U0001f469\u200d\U0001f680",
    "\U0001f680" * 300,
    "x" * 300,
    "x" * 299 + "y",
    "*",
    "facts",
    "langgraph",
    "null",
    "{}",
    "ana=nuts",
]


@dataclass
class Shop:
    """Everybody at once in one database."""

    database: Database
    committer: Committer

    async def tell(self, subject: Subject, source: str, value: str, thread: str = "thread") -> None:
        message = transcript.Message(source, thread, "user", "customer", NOW, f"{value} please")
        async with self.database.connection() as connection:
            await transcript.record(connection, subject, [message], KEY)
        reading = Reading(source, (Claim("window", value, value), Claim("allergy", value, value)))
        await self.committer.commit(subject, [reading], extractor="x1", now=LATER)

    async def sees(self, subject: Subject) -> set[str | None]:
        """Every value that any way of reading gives this customer."""
        async with self.database.connection() as connection:
            held = await recall(connection, subject, SCHEMA, LATER)
            then = await as_of(connection, subject, SCHEMA, LATER + timedelta(days=999))
            decided = await ledger(connection, subject)
            said = await transcript.thread(connection, subject, "thread")
            found = await transcript.search(connection, subject, "thread", "please")
        pool: Any = await self.database.pool()
        stored = await AsyncPostgresStore(pool).asearch(("facts", *subject_id(subject).split(".")), limit=100)
        values: set[str | None] = {fact["value"] for fact in held.facts.values()} | {
            record.value for record in then.values()
        }
        values |= {row["statement"].get("value") for row in decided} | {item.value["value"] for item in stored}
        return values | {row["text"].removesuffix(" please") for row in (*said, *found)}


@pytest.fixture
def shop(database: Database, committer: Committer) -> Shop:
    return Shop(database, committer)


async def test_customers_are_apart(shop: Shop) -> None:
    """Every hostile id as a customer, and as a tenant: each sees what that one said, and nothing else."""
    possible = [one for one in HOSTILE if one != SURROGATE]
    everybody = [Subject("shop", one) for one in possible] + [Subject(one, "ana") for one in possible]
    for number, subject in enumerate(everybody):
        await shop.tell(subject, "m1", f"value {number}")
    for number, subject in enumerate(everybody):
        assert await shop.sees(subject) == {f"value {number}"}
    await shop.committer.erase(everybody[0], "m1", now=LATER)
    assert await shop.sees(everybody[0]) == {None}, "the skeleton of the ledger names no value"
    for number, subject in list(enumerate(everybody))[1:8]:
        assert await shop.sees(subject) == {f"value {number}"}, "erasing one customer's message is his alone"
    assert await check(shop.database, SCHEMA, now=LATER) == []


async def test_messages_are_apart(shop: Shop, subject: Subject) -> None:
    """Every hostile id as a message of one customer: each counts once, and erasing one leaves the others."""
    ids = [*HOSTILE, "m" * LONGEST_SOURCE, "m" * (LONGEST_SOURCE + 1)]
    for source in (*ids, *ids):
        await shop.tell(subject, source, "evening")
    async with shop.database.connection() as connection:
        held = await recall(connection, subject, SCHEMA, LATER)
        assert held.facts["window"]["support"] == held.facts["allergy=evening"]["support"] == len(ids)
        assert (await transcript.known(connection, subject, ids)).keys() == set(ids)
    for source in ids[:10]:
        await shop.committer.erase(subject, source, now=LATER)
        await shop.tell(subject, source, "evening")
    async with shop.database.connection() as connection:
        held = await recall(connection, subject, SCHEMA, LATER)
    assert held.facts["window"]["support"] == len(ids) - 10
    assert await check(shop.database, SCHEMA, now=LATER) == []


async def test_values_and_conversations_may_be_called_anything(shop: Shop, subject: Subject) -> None:
    """Ids as values of a many-valued attribute and as threads: one slot each, whatever they look like."""
    storable = [v for v in HOSTILE if v != SURROGATE and len(v) <= 200 and v.strip() == v and "\x00" not in v]
    for number, value in enumerate(storable):
        await shop.tell(subject, f"m{number}", value, thread=value)
    async with shop.database.connection() as connection:
        held = await recall(connection, subject, SCHEMA, LATER)
        for value in storable:
            assert [row["text"] for row in await transcript.thread(connection, subject, value)] == [f"{value} please"]
    shown = {fact["value"] for slot, fact in held.facts.items() if slot.startswith("allergy=")}
    read = [SCHEMA["allergy"].read(value) for value in storable]
    assert shown == {pair[0] for pair in {key: (shown, key) for shown, key in filter(None, read)}.values()}


any_text = st.text(st.characters(exclude_categories=[]), min_size=1, max_size=30)  # lone surrogates included
any_name = st.text(min_size=1, max_size=30)


@given(any_name, any_name, any_name, any_name)
@example("a", "b.c", "a.b", "c")
@example("a%2E", "b", "a.", "b")
def test_a_subject_id_says_who_it_is(tenant: str, user: str, other_tenant: str, other: str) -> None:
    """Different customers have different ids, no id begins another's, and each can be read back."""
    one, two = Subject(tenant, user), Subject(other_tenant, other)
    assert subject_of(subject_id(one)) == one
    assert (subject_id(one) == subject_id(two)) == (one == two)
    assert subject_id(one).count(".") == 1
    assert one == two or not f"{subject_id(one)}.".startswith(f"{subject_id(two)}.")
    assert "\x00" not in subject_id(one)
    subject_id(one).encode()


@given(any_text)
def test_a_source_id_can_be_stored(text: str) -> None:
    """A message's id stays what it is where that can be stored, and a stored id stays what it is."""
    stored = source_id(text)
    assert source_id(stored) == stored
    assert "\x00" not in stored
    stored.encode()
    assert stored == text or stored.startswith("sha256:")


def test_source_ids_differ() -> None:
    """No two hostile ids are the same message."""
    assert all(source_id(a) != source_id(b) for a, b in combinations([*HOSTILE, "m" * 401, "m" * 402], 2))


def test_an_identity_has_a_length() -> None:
    """What no index could hold is refused where it comes in, with the number and what to do."""
    with pytest.raises(ValueError, match=f"{LONGEST_SUBJECT} is the most"):
        subject_id(Subject("\U0001f680" * 300, "\U0001f680" * 300))
    with pytest.raises(ValueError, match="neither has a default"):
        Subject("", "ana")
    with pytest.raises(ValueError, match="surrogates"):
        Subject("shop", SURROGATE)
