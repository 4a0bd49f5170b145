"""Semantic recall: of a long collection those entries are shown that are nearest to what is asked. Only an order."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from graph.application import application
from support.scripted import ScriptedModel
from tests.graph.talk import Talk, settings_for, subject
from trusted_memory.conversation.budget import Budget
from trusted_memory.facts.batch import Reading
from trusted_memory.facts.words import Claim
from trusted_memory.hosts.worker import read_subject
from trusted_memory.offline.model import serving
from trusted_memory.storage import transcript
from trusted_memory.storage.pool import subject_id
from trusted_memory.storage.semantic import NoVectors, prepare

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SMALL = Budget(total=5_000, output_reserve=800, instructions=2_000, facts=300, summary=400, recent=1_500)
SIZE = 256


def embedded(text: str) -> list[float]:
    """A bag of words: texts that share words are near each other."""
    vector = [0.0] * SIZE
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        vector[int(hashlib.md5(word.encode(), usedforsecurity=False).hexdigest(), 16) % SIZE] += 1
    return vector


class Embedding:
    """A server of `/v1/embeddings`; `broken` answers with errors."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.broken = False
        self.app = Starlette(routes=[Route("/v1/embeddings", self._answer, methods=["POST"])])

    async def _answer(self, http: Request) -> Response:
        body = await http.json()
        self.asked.append(body)
        if self.broken:
            return JSONResponse({"detail": "out of order"}, status_code=503)
        data = [{"index": n, "embedding": embedded(text)} for n, text in enumerate(body["input"])]
        return JSONResponse({"data": data, "model": body["model"], "usage": {"total_tokens": 1}})


@pytest.fixture
def embedding() -> Embedding:
    return Embedding()


@pytest.fixture
def served(embedding: Embedding) -> Iterator[str]:
    with serving(embedding.app) as url:
        yield url


@pytest.fixture
async def talk(database_uri: str, model: ScriptedModel, served: str) -> AsyncIterator[Talk]:
    changes: dict[str, Any] = {"embedding_model": "scripted-embed", "embedding_base_url": served, "budget": SMALL}
    async with Talk.with_settings(settings_for(database_uri, model.base_url, **changes)) as talking:
        async with talking.deps.database.connection() as connection:
            await prepare(connection)
        yield talking


async def knows_much(talk: Talk, user: str = "alice") -> None:
    """Sixty allergies and a name: several times what a request has room for."""
    things = [f"ingredient {n:02} of group {n % 7}" for n in range(59)] + ["zanzibar cloves"]
    claims = [*(Claim("allergy", thing, thing) for thing in things), Claim("preferred_name", "Sam", "Sam")]
    message = transcript.Message("m1", "elsewhere", "user", "customer", NOW, " ".join(c.quote for c in claims))
    async with talk.deps.database.connection() as connection:
        await transcript.record(connection, subject(user), [message], talk.deps.key)
    await talk.deps.memory.committer.commit(subject(user), [Reading("m1", tuple(claims))], extractor="tests", now=NOW)
    await read_subject(application(talk.deps), subject(user))


async def meddle(talk: Talk, query: str) -> None:
    """Writes facts past the commit."""
    async with talk.deps.database.connection() as connection, connection.transaction():
        await connection.execute("set local memory.committing = 'on'")
        await connection.execute(query.encode(), {"subject": subject_id(subject("alice"))})


def shown(model: ScriptedModel) -> str:
    sent = "\n".join(str(message["content"]) for message in model.requests[-1]["messages"][1:])
    [block] = re.findall(r"(?s)<memory>.*?</memory>", sent)
    return str(block)


async def test_what_is_asked_about_comes_first(talk: Talk, model: ScriptedModel, embedding: Embedding) -> None:
    """Of sixty allergies the one that is asked about is shown, after what there is one of."""
    await knows_much(talk)
    assert {text for body in embedding.asked for text in body["input"]} >= {"allergy: zanzibar cloves"}
    await talk.say("What about zanzibar cloves in the biscuits?")
    lines = shown(model).splitlines()
    assert "zanzibar cloves" in lines[2], lines
    assert "preferred_name: Sam" in lines[1]  # what there is one of is never pushed out by a collection
    assert "more left out" in lines[-2]
    assert embedding.asked[-1]["input_type"] == "query"


async def test_nothing_is_embedded_where_everything_fits(talk: Talk, embedding: Embedding) -> None:
    """Nearly all customers: no call, no vector."""
    await talk.say("I'm allergic to peanuts.")
    await talk.drain()
    await talk.say("What about peanuts in the biscuits?")
    assert not embedding.asked


async def test_without_an_answer_facts_come_in_their_usual_order(
    talk: Talk, model: ScriptedModel, embedding: Embedding
) -> None:
    """A broken embedding server costs the order and nothing else; vectors are made up for later."""
    embedding.broken = True
    await knows_much(talk)
    await talk.say("What about zanzibar cloves in the biscuits?")
    assert "preferred_name: Sam" in shown(model)
    assert "ingredient 00" in shown(model)
    embedding.broken = False
    await talk.drain()  # the turn left a job, which comes for the vectors too
    await talk.say("What about zanzibar cloves in the biscuits?")
    assert "zanzibar cloves" in shown(model)


async def test_only_the_customers_own_vectors_and_none_of_what_changed(talk: Talk, model: ScriptedModel) -> None:
    """Neither another customer's vector nor one of a value that is no more says anything."""
    await knows_much(talk, "alice")
    await knows_much(talk, "mallory")
    changed = """update store set value = value || '{"value": "saffron"}'
        where prefix = 'facts.' || %(subject)s and value ->> 'value' = 'zanzibar cloves'"""
    await meddle(talk, changed)
    await talk.say("What about zanzibar cloves in the biscuits?")
    assert "zanzibar" not in shown(model)
    assert len(await talk.rows("select key from fact_vector where prefix = 'facts.' || %(subject)s")) == 60


async def test_f9_vectors_go_with_their_values(talk: Talk) -> None:
    """A corrected value leaves no vector and no hash; what changes about a fact besides its value keeps the vector."""
    await knows_much(talk)
    vector = "select model from fact_vector where key = 'preferred_name' and prefix = 'facts.' || %(subject)s"
    await meddle(talk, "update store set value = value || '{\"support\": 2}' where prefix = 'facts.' || %(subject)s")
    assert len(await talk.rows(vector)) == 1
    async with talk.deps.database.connection() as connection:
        said = transcript.Message("m2", "elsewhere", "user", "customer", NOW + timedelta(minutes=1), "Call me Bob.")
        await transcript.record(connection, subject("alice"), [said], talk.deps.key)
    reading = Reading("m2", (Claim("preferred_name", "Bob", "Bob", "correct"),))
    await talk.deps.memory.committer.commit(
        subject("alice"), [reading], extractor="tests", now=NOW + timedelta(minutes=2)
    )
    assert await talk.fact("preferred_name")
    assert await talk.rows(vector) == []


async def test_f9_no_vector_slips_in_while_a_value_changes(talk: Talk) -> None:
    """What was embedded just before a correction is committed is not kept after it."""
    await knows_much(talk)
    vector = "from fact_vector where key = 'preferred_name' and prefix = 'facts.' || %(subject)s"
    await talk.rows(f"delete {vector}")
    async with talk.deps.database.connection() as connection, connection.transaction():
        await connection.execute("set local memory.committing = 'on'")
        await connection.execute(
            """update store set value = value || '{"value": "Bob"}' where key = 'preferred_name'"""
        )
        reading = asyncio.create_task(read_subject(application(talk.deps), subject("alice")))
        await asyncio.sleep(0.5)
    await reading
    assert await talk.rows(f"select words {vector} and words = md5('Sam')") == []


async def test_f9_vectors_of_before_go_when_it_is_prepared(talk: Talk) -> None:
    """Where the table was made by an earlier version, `prepare` drops what is of no use any more."""
    await knows_much(talk)
    async with talk.deps.database.connection() as connection:
        await connection.execute("update fact_vector set words = md5('of before') where key = 'preferred_name'")
        await prepare(connection)
    assert len(await talk.rows("select key from fact_vector where prefix = 'facts.' || %(subject)s")) == 60


async def test_vectors_go_with_their_facts(talk: Talk) -> None:
    """Whatever deletes a fact deletes its vector."""
    await knows_much(talk)
    await meddle(talk, "delete from store where prefix = 'facts.' || %(subject)s")
    assert not await talk.rows("select key from fact_vector where prefix = 'facts.' || %(subject)s")


async def test_a_database_without_pgvector_is_named(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says which setting asks for it."""
    async with talk.deps.database.connection() as connection:
        await connection.execute("drop extension vector cascade")

        async def refuse(*_: Any, **__: Any) -> None:
            raise psycopg.errors.FeatureNotSupported('extension "vector" is not available')

        monkeypatch.setattr(connection, "execute", refuse)
        with pytest.raises(NoVectors, match="APP_EMBEDDING_MODEL"):
            await prepare(connection)
