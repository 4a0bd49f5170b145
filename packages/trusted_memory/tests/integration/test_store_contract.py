"""LangGraph's own store reads our facts, and nobody else writes them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from langgraph.store.postgres.aio import AsyncPostgresStore

from support.database import SCHEMA
from trusted_memory.facts.batch import Reading
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.pool import Database, subject_id
from trusted_memory.storage.recall import recall

NOW = datetime(2027, 1, 1, tzinfo=UTC)


@pytest.fixture
async def store(database: Database) -> AsyncPostgresStore:
    pool: Any = await database.pool()
    return AsyncPostgresStore(pool)


async def tell(committer: Committer, subject: Subject, source: str, *claims: Claim) -> None:
    text = " ".join(c.quote for c in claims)
    async with committer.database.connection() as connection:
        at = NOW + timedelta(minutes=int(source[1:]))
        message = transcript.Message(source, "thread", "user", "customer", at, text)
        await transcript.record(connection, subject, [message], b"a key of the tests")
    await committer.commit(subject, [Reading(source, claims)], extractor="x1", now=NOW + timedelta(days=1))


def namespace(subject: Subject) -> tuple[str, ...]:
    return ("facts", *subject_id(subject).split("."))


async def test_the_store_reads_what_is_active(
    committer: Committer, subject: Subject, store: AsyncPostgresStore, database: Database
) -> None:
    """Value, support, revision and quotes are there under the slot; conflicts and withdrawn values are not."""
    await tell(committer, subject, "m1", Claim("window", "morning", "mornings"), Claim("allergy", "Nuts", "nuts"))
    await tell(committer, subject, "m2", Claim("window", "evening", "no, evenings", "correct"))
    await tell(committer, subject, "m3", Claim("name", "Ann", "Ann"), Claim("allergy", "milk", "milk"))
    await tell(committer, subject, "m4", Claim("name", "Sue", "Sue"), Claim("allergy", "milk", "no milk", "retract"))
    items = {item.key: item.value for item in await store.asearch(namespace(subject))}
    assert items.keys() == {"window", "allergy=nuts"}
    fact = items["window"]
    assert (fact["value"], fact["status"], fact["support"], fact["revision"]) == ("evening", "active", 1, 2)
    assert [(q["source"], q["quote"], q["origin"]) for q in fact["quotes"]] == [("m2", "no, evenings", "customer")]
    assert fact["changes_at"] is None
    item = await store.aget(namespace(subject), "allergy=nuts")
    assert item is not None
    assert item.value["value"] == "Nuts"
    async with database.connection() as connection:
        assert (await recall(connection, subject, SCHEMA, NOW)).facts == items


@pytest.mark.parametrize(
    "place", [("facts",), ("facts", "shop"), ("facts", "shop", "ana"), ("facts", "shop", "ana", "x")]
)
async def test_others_can_not_write_facts(
    committer: Committer, subject: Subject, store: AsyncPostgresStore, place: tuple[str, ...]
) -> None:
    """F8, F10: a put under facts is refused at any depth, and leaves what was there."""
    await tell(committer, subject, "m1", Claim("window", "morning", "mornings"))
    with pytest.raises(psycopg.errors.RaiseException, match="written by the commit only"):
        await store.aput(place, "window", {"value": "evening", "status": "active"})
    item = await store.aget(namespace(subject), "window")
    assert item is not None
    assert item.value["value"] == "morning"


async def test_others_can_not_delete_facts(committer: Committer, subject: Subject, store: AsyncPostgresStore) -> None:
    """F8: deleting one through the store is refused as well."""
    await tell(committer, subject, "m1", Claim("window", "morning", "mornings"))
    with pytest.raises(psycopg.errors.RaiseException, match="written by the commit only"):
        await store.adelete(namespace(subject), "window")
    assert await store.aget(namespace(subject), "window") is not None


async def test_other_namespaces_are_free(store: AsyncPostgresStore) -> None:
    """The store is LangGraph's; only facts are ours, whatever else begins with the same letters."""
    for place in (("notes", "facts"), ("factsheet",), ("facts2", "shop")):
        await store.aput(place, "k", {"v": 1})
        item = await store.aget(place, "k")
        assert item is not None
        assert item.value == {"v": 1}


async def test_a_sentence_that_says_it_twice_is_quoted_once(
    committer: Committer, subject: Subject, database: Database
) -> None:
    """Two claims from one sentence are one quote and one support."""
    said = "No, evenings, I said evenings"
    await tell(committer, subject, "m1", Claim("window", "evening", said), Claim("window", "evening", said, "correct"))
    async with database.connection() as connection:
        [fact] = (await recall(connection, subject, SCHEMA, NOW + timedelta(days=1))).facts.values()
    assert (fact["support"], [q["quote"] for q in fact["quotes"]]) == (1, [said])
