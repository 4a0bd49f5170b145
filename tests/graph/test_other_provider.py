"""Models of another provider: whole conversations with langchain-openai in all three roles, and its errors."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from evals.place import shop_deps
from graph.deps import Deps
from graph.models import Models
from support.scripted import Fail, Reply, Request, ScriptedModel, Slow, calls, demo
from tests.graph.talk import OTHER, Talk, decided, settings_for
from trusted_memory.models.errors import ModelRefused, ModelTimeout, ModelUnreachable

openai = pytest.importorskip("langchain_openai")


def client(url: str, role: str, **given: Any) -> Any:
    told = {"timeout": 2.0, "max_retries": 0, "max_tokens": 1_000} | given
    return openai.ChatOpenAI(base_url=url, api_key="of the tests", model=role, **told)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """The demo model's rules, under a name for each role."""
    with ScriptedModel(otherwise=demo, models=("speaks", "reads", "sums up")) as scripted:
        yield scripted


def deps_with(database_uri: str, url: str, **given: Any) -> Deps:
    """As `graph/models.py` says to do it: other classes for the three roles, and nothing else is changed."""
    budget = {"recent": 1_500, "total": 8_500}
    deps = shop_deps(settings_for(database_uri, url, budget=budget, extraction_timeout=20.0))
    roles = [client(url, role, **given) for role in ("speaks", "reads", "sums up")]
    deps.__dict__["_models"] = Models(*roles)
    return deps


@pytest.fixture
async def talk(database_uri: str, model: ScriptedModel) -> AsyncIterator[Talk]:
    deps = deps_with(database_uri, model.base_url)
    async with Talk.open(deps) as talking:
        yield talking
    await deps.database.close()


def asked(model: ScriptedModel, role: str) -> list[Request]:
    return [request for request in model.requests if request["model"] == role]


async def test_a_statement_and_its_correction(talk: Talk, model: ScriptedModel) -> None:
    """A statement is read in the background, a correction before the reply, and neither is shown while it is read."""
    await talk.say("Please deliver in the morning.")
    await talk.drain()
    assert await talk.facts() == {"delivery_window": "morning"}
    turn = await talk.say("Actually, I meant the evening, not the morning.")
    assert turn.written == [("replace", "delivery_window", "evening")]
    assert "evening" in turn.reply
    assert turn.streamed == turn.reply
    assert "evening" in (await talk.say("When will you deliver?", thread=OTHER)).reply
    assert await decided(talk) == ["insert", "replace"]
    assert {request["response_format"]["type"] for request in asked(model, "reads")} == {"json_schema"}
    assert not asked(model, "sums up")


async def test_a_tool_call(talk: Talk, model: ScriptedModel) -> None:
    """Calls reach our tools, streamed in pieces; their results go back behind them, and are facts."""
    model.add(calls(("look_up_account", {}), ("search_orders", {"query": "rain"})), "You are silver.")
    turn = await talk.say("What do you know of my account?")
    assert turn.reply == "You are silver."
    assert ("insert", "account_tier", "silver") in turn.written
    sent = asked(model, "speaks")[-1]["messages"]
    assert [m["role"] for m in sent[-4:]] == ["user", "assistant", "tool", "tool"]
    assert [call["id"] for call in sent[-3]["tool_calls"]] == [m["tool_call_id"] for m in sent[-2:]]
    assert "rain jacket" in sent[-1]["content"]


async def test_a_fold(talk: Talk, model: ScriptedModel) -> None:
    """Old turns become a summary of its, bounded as ours is, which is in the requests after it."""
    for n in range(8):
        await talk.say(f"Remark {n} about order A-1044{n}: " + f"it has been very windy here, on day {n}. " * 20)
    assert asked(model, "sums up")
    bounds = {request.get("max_completion_tokens") for request in asked(model, "sums up")}
    assert bounds == {talk.deps.settings.budget.summary - talk.deps.settings.budget.pinned}
    await talk.say("Thank you.")
    assert "<summary>" in json.dumps(asked(model, "speaks")[-1]["messages"])


WRONG = [
    (Fail(429, "slow down"), ModelRefused, "limits the rate"),
    (Fail(500, "out of memory"), ModelRefused, "answered 500"),
    (Fail(401, "no such key"), ModelRefused, "answered 401"),
    (Slow(9, "too late"), ModelTimeout, "silent"),
]


@pytest.mark.parametrize(("reply", "error", "says"), WRONG, ids=lambda value: str(value)[:30])
async def test_what_its_errors_mean(
    database_uri: str, model: ScriptedModel, reply: Any, error: type[Exception], says: str
) -> None:
    """A turn that fails says so in the engine's own types; the message is kept and the next turn works."""
    model.add(reply)
    deps = deps_with(database_uri, model.base_url, timeout=0.3)
    async with Talk.open(deps) as talk:
        with pytest.raises(error, match=says) as caught:
            await talk.say("Hello there", id="m1")
        assert type(caught.value.__cause__).__module__.startswith("langchain_openai")
        assert await talk.transcript() == [("user", "Hello there")]
        assert (await talk.say("Hello again", id="m2")).reply
    await deps.database.close()


TELLS = ["My shoe size is 42.", "I'm allergic to nuts.", "Correction: please deliver in the evening."]


@pytest.mark.parametrize(
    ("broken", "requests"),
    [(Fail(429, "slow down"), 1), (Slow(9, "too late"), 1), (Fail(500, "out of memory"), 4)],
    ids=["limited", "silent", "in trouble"],
)
async def test_reading_asks_again_only_where_that_helps(
    database_uri: str, model: ScriptedModel, broken: Any, requests: int
) -> None:
    """Whoever is silent or limits us is asked once while the customer waits; a server in trouble, for each message."""

    async def answer(request: Request) -> Any:
        return broken if request["model"] == "reads" else await demo(request)

    model.otherwise = answer
    deps = deps_with(database_uri, model.base_url, timeout=0.3)
    async with Talk.open(deps) as talk:
        turns = [await talk.say(text) for text in TELLS]
        turn = turns[-1]
        assert turn.reply
        assert turn.report["problem"]
        assert len(asked(model, "reads")) == requests
        model.otherwise = demo
        await talk.drain()
        assert set(await talk.facts()) == {"shoe_size", "allergy=nuts", "delivery_window"}
    await deps.database.close()


async def test_nobody_there(database_uri: str) -> None:
    """An address where nobody answers is unreachable, for a reply and for a reading alike."""
    deps = deps_with(database_uri, "http://127.0.0.1:9/v1")
    async with Talk.open(deps) as talk:
        with pytest.raises(ModelUnreachable, match="can't be reached"):
            await talk.say("Correction: please deliver in the evening.")
        assert await talk.transcript() == [("user", "Correction: please deliver in the evening.")]
    await deps.database.close()


async def test_half_an_answer_is_no_claim(talk: Talk, model: ScriptedModel) -> None:
    """A reading that its client refuses to give, because max_tokens cut it off, is repaired once, as ours is."""
    said = {"attribute": "delivery_window", "value": "evening", "quote": "deliver in the evening", "intent": "correct"}
    model.add(Reply('{"claims": [' + '"evening", ' * 2_000), {"claims": [said | {"message": 1, "about": "customer"}]})
    turn = await talk.say("Correction: please deliver in the evening.")
    assert turn.written == [("insert", "delivery_window", "evening")]
    assert len(asked(model, "reads")) == 2
