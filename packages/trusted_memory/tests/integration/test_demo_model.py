"""The offline demo model as a server: a NIM's protocol, seen through the product's own client and through bare HTTP."""

import asyncio
import functools
import json
import operator
import signal
import sys
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from support.scripted import ScriptedModel, Slow, demo
from trusted_memory.models.nvidia import NVIDIA, Endpoint, chat_model, structured
from trusted_memory.offline.model import BANNER, MODEL, demo_model, running_demo_model

LOOK_UP = {"type": "function", "function": {"name": "look_up_account", "parameters": {"type": "object"}}}
HI = {"role": "user", "content": "hello"}
CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "ok"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with demo_model() as base_url:
        yield base_url


@pytest.fixture
def model(url: str) -> NVIDIA:
    return chat_model(Endpoint(url, None, 5), MODEL, max_tokens=200)


async def post(url: str, body: Any) -> tuple[int, Any]:
    """Status and JSON of a chat completion request."""
    async with aiohttp.ClientSession() as session, session.post(f"{url}/chat/completions", json=body) as response:
        return response.status, await response.json()


async def get(url: str) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status, await response.json()


async def test_lists_its_model_and_is_ready(url: str) -> None:
    """The list of models and the readiness probe answer, and only on the loopback address."""
    assert url.startswith("http://127.0.0.1:")
    status, models = await get(f"{url}/models")
    assert (status, [row["id"] for row in models["data"]]) == (200, [MODEL])
    assert (await get(f"{url}/health/ready"))[0] == 200
    with pytest.raises(aiohttp.ClientConnectionError):
        await get(f"{url.replace('127.0.0.1', '127.0.0.2')}/models")


async def test_unknown_model(url: str) -> None:
    """Any other model's name is a 404 in a NIM's words."""
    status, body = await post(url, {"model": "gpt-5", "messages": [HI]})
    assert (status, body["code"], body["object"]) == (404, 404, "error")
    assert body["message"] == "The model `gpt-5` does not exist."


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        (None, "list of messages"),
        ([], "at least one"),
        (["hello"], "list of messages"),
        ([HI, RESULT], "without its call"),
        ([HI, CALL, HI], "have no results"),
        ([HI, CALL], "have no results"),
        ([HI, CALL, RESULT, RESULT], "without its call"),
        ([HI, {"role": "system", "content": "obey"}], "only the first"),
    ],
)
async def test_invalid_history(url: str, messages: Any, why: str) -> None:
    """Histories that a strict provider refuses are refused here as well, so that no test passes with one."""
    status, body = await post(url, {"model": MODEL, "messages": messages})
    assert status == 400
    assert why in body["message"]


async def test_body_that_is_no_json(url: str) -> None:
    """A body that is not JSON is a 400, not a crash."""
    async with aiohttp.ClientSession() as session, session.post(f"{url}/chat/completions", data=b"{") as response:
        assert response.status == 400


async def test_answers_whole_and_streamed_alike(model: NVIDIA) -> None:
    """The same request has the same answer, whole, streamed and again."""
    asked = [SystemMessage("You help."), HumanMessage("<memory>\n- shoe_size: 42\n</memory>\nWhat's my shoe size?")]
    whole = await model.ainvoke(asked)
    chunks = [chunk async for chunk in model.astream(asked)]
    assert whole.text == "Your shoe size is 42."
    assert "".join(chunk.text for chunk in chunks) == whole.text
    assert len([chunk for chunk in chunks if chunk.text]) > 3
    assert (await model.ainvoke(asked)).text == whole.text
    assert whole.usage_metadata
    assert whole.usage_metadata["total_tokens"] > whole.usage_metadata["input_tokens"] > 10


async def test_stream_events(url: str) -> None:
    """The events are those of a NIM: role first, deltas, finish, usage if asked for, done."""
    body = {"model": MODEL, "messages": [HI], "stream": True, "stream_options": {"include_usage": True}}
    async with aiohttp.ClientSession() as session, session.post(f"{url}/chat/completions", json=body) as response:
        assert response.content_type == "text/event-stream"
        lines = [line.removeprefix("data: ") for line in (await response.text()).split("\n\n") if line]
    events = [json.loads(line) for line in lines[:-1]]
    assert lines[-1] == "[DONE]"
    assert {event["object"] for event in events} == {"chat.completion.chunk"}
    assert events[0]["choices"][0]["delta"]["role"] == "assistant"
    assert events[-2]["choices"][0]["finish_reason"] == "stop"
    assert events[-1]["choices"] == []
    assert events[-1]["usage"]["completion_tokens"] > 0


async def test_tool_round_trip(model: NVIDIA) -> None:
    """A tool is called, whole and in deltas, and its result is put into words."""
    bound, asked = model.bind(tools=[LOOK_UP]), HumanMessage("What tier am I?")
    whole = await bound.ainvoke([asked])
    parts: list[Any] = [chunk async for chunk in bound.astream([asked])]
    streamed = functools.reduce(operator.add, parts)
    for answer in (whole, streamed):
        assert isinstance(answer, AIMessage)
        (call,) = answer.tool_calls
        assert (call["name"], call["args"]) == ("look_up_account", {})
        assert answer.response_metadata["finish_reason"] == "tool_calls"
        told = await bound.ainvoke([asked, answer, ToolMessage('{"tier": "gold"}', tool_call_id=str(call["id"]))])
        assert told.text == "The system says: tier gold."


async def test_tool_choice_none(model: NVIDIA) -> None:
    """With tool_choice none there are no calls."""
    answer = await model.bind(tools=[LOOK_UP], tool_choice="none").ainvoke([HumanMessage("What tier am I?")])
    assert answer.tool_calls == []


async def test_max_tokens(model: NVIDIA) -> None:
    """max_tokens cuts the text and says so; a summary keeps within it by itself."""
    cut = await model.bind(max_tokens=2).ainvoke([HumanMessage("hello")])
    assert (cut.text, cut.response_metadata["finish_reason"]) == ("Hello!", "length")
    told = HumanMessage("<transcript>\n" + "customer: order A-1 is late\n" * 50 + "customer: bye\n</transcript>")
    summary = await model.bind(max_tokens=30).ainvoke([SystemMessage("Write notes."), told])
    assert summary.response_metadata["finish_reason"] == "stop"
    assert summary.text.splitlines() == ["customer: order A-1 is late", "customer: bye"]


async def test_extraction(model: NVIDIA) -> None:
    """Claims come back through the product's one-request helper, an acceptance among them."""
    said = (
        "[1] assistant (2026-11-30T10:00:00Z): Shall I note evening as your delivery window?\n"
        "[2] customer (2026-11-30T10:01:00Z): Yes please. And I'm allergic to peanuts."
    )
    found = await structured(model, {"type": "object"}, [SystemMessage("Extract."), HumanMessage(said)])
    assert [(c["message"], c["attribute"], c["value"], c["accepts"]) for c in found["claims"]] == [
        (2, "allergy", "peanuts", None),
        (2, "delivery_window", "evening", 1),
    ]


async def test_a_megabyte(model: NVIDIA) -> None:
    """A huge message is answered, and quickly."""
    async with asyncio.timeout(10):
        assert (await model.ainvoke([HumanMessage("please help " * 90_000)])).text


async def test_many_at_once(model: NVIDIA) -> None:
    """Requests at the same time each get their own answer."""
    asked = [f"<memory>\n- shoe_size: {n}\n</memory>\nWhat's my shoe size?" for n in range(30, 50)]
    answers = await asyncio.gather(*(model.ainvoke([HumanMessage(words)]) for words in asked))
    assert [answer.text for answer in answers] == [f"Your shoe size is {n}." for n in range(30, 50)]


async def test_starts_and_stops_inside_an_event_loop() -> None:
    """Inside a running loop it starts without blocking it, and is gone afterwards, even with a request under way."""
    async with running_demo_model() as url:
        assert (await get(f"{url}/health/ready"))[0] == 200
    with pytest.raises(aiohttp.ClientConnectionError):
        await get(f"{url}/health/ready")


async def test_as_a_program() -> None:
    """`python -m trusted_memory.offline.model` says plainly what it is, serves, and ends when told to."""
    command = (sys.executable, "-m", "trusted_memory.offline.model", "--port", "0")
    server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert server.stdout
    try:
        assert (await server.stdout.readline()).decode().strip() == BANNER
        url = (await server.stdout.readline()).decode().split(",")[0]
        status, body = await post(url, {"model": MODEL, "messages": [HI]})
        assert (status, body["choices"][0]["finish_reason"]) == (200, "stop")
    finally:
        server.send_signal(signal.SIGTERM)
        await asyncio.wait_for(server.wait(), 10)
    assert "plumbing only" in BANNER


async def test_scripted_model_falls_back_to_the_rules() -> None:
    """A scripted model plays its script, then the demo model's rules if asked to, and keeps every request."""
    with ScriptedModel("scripted", lambda request: f"{len(request['messages'])} message", otherwise=demo) as server:
        chat = server.chat()
        answers = [(await chat.ainvoke([HumanMessage("hello")])).text for _ in range(3)]
    assert answers == ["scripted", "1 message", "Hello! How can I help?"]
    assert [request["messages"][0]["content"] for request in server.requests] == ["hello"] * 3


async def test_scripted_model_ends_with_the_test() -> None:
    """A reply that is still waiting does not outlive its model."""
    with ScriptedModel(Slow(60, "late")) as server:
        waiting = asyncio.create_task(post(server.base_url, {"model": "scripted", "messages": [HI]}))
        await asyncio.sleep(0.1)
    status, _ = await asyncio.wait_for(waiting, 5)
    assert status == 200
