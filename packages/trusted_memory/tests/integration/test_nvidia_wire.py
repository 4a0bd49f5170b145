"""What our ChatNVIDIA puts on the wire, how long it waits, and what it raises: seen over real HTTP."""

import asyncio
import contextlib
import copy
import json
import socket
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_nvidia_ai_endpoints import ChatNVIDIA
from langgraph.graph import END, START, MessagesState, StateGraph
from starlette.responses import StreamingResponse

from support.scripted import Cut, Fail, Raw, Reply, ScriptedModel, Slow, calls
from trusted_memory.models.errors import BadOutput, ModelError, ModelRefused, ModelTimeout, ModelUnreachable
from trusted_memory.models.nvidia import NVIDIA, Endpoint, chat_model, structured
from trusted_memory.offline.protocol import events

HELLO: list[BaseMessage] = [HumanMessage("hello")]
SCHEMA = {"type": "object", "properties": {"claims": {"type": "array"}}, "required": ["claims"]}


@tool
def look_up_account() -> str:
    """Look up the account."""
    return "gold"


@tool
def search_orders(query: str) -> str:
    """Search the orders."""
    return query


async def streamed(model: Any, messages: list[BaseMessage], seen: list[str] | None = None) -> AIMessageChunk:
    """All chunks of a stream, added up; `seen` gets their texts as they come."""
    whole: AIMessageChunk | None = None
    async for chunk in model.astream(messages):
        if seen is not None:
            seen.append(chunk.text)
        whole = chunk if whole is None else whole + chunk
    assert whole is not None
    return whole


# -- tool calls


async def test_tool_calls_streamed_and_sent_back() -> None:
    """Calls that came in a stream go out again with the next request, each with its id and arguments."""
    with ScriptedModel(
        calls(("look_up_account", {}), ("search_orders", {"query": "Stiefel für größe 42"})), "ok"
    ) as server:
        model = server.chat().bind_tools([look_up_account, search_orders])
        answer = await streamed(model, HELLO)
        results = [ToolMessage("…", tool_call_id=str(call["id"])) for call in answer.tool_calls]
        assert (await model.ainvoke([*HELLO, answer, *results])).text == "ok"
    sent = server.requests[1]["messages"][1]["tool_calls"]
    assert [call["id"] for call in sent] == [call["id"] for call in answer.tool_calls]
    assert [call["type"] for call in sent] == ["function", "function"]
    assert [json.loads(call["function"]["arguments"]) for call in sent] == [{}, {"query": "Stiefel für größe 42"}]
    assert [t["function"]["name"] for t in server.requests[0]["tools"]] == ["look_up_account", "search_orders"]


@pytest.mark.parametrize("asynchronous", [True, False])
async def test_tool_calls_of_a_message_made_by_hand(asynchronous: bool) -> None:
    """A message built by hand (from a checkpoint, say) goes out with its calls, on the sync path as well."""
    call = AIMessage("", tool_calls=[{"name": "search_orders", "args": {"query": "boots"}, "id": "c1"}])
    history = [*HELLO, call, ToolMessage("two", tool_call_id="c1")]
    with ScriptedModel("ok") as server:
        model = server.chat()
        answer = await model.ainvoke(history) if asynchronous else await asyncio.to_thread(model.invoke, history)
    assert answer.text == "ok"
    (sent,) = server.requests[0]["messages"][1]["tool_calls"]
    assert sent["function"] == {"name": "search_orders", "arguments": '{"query": "boots"}'}
    assert server.requests[0]["messages"][1]["content"] is None


async def test_without_the_mirror_the_result_is_an_orphan() -> None:
    """Plain ChatNVIDIA loses the calls, which is why the subclass exists; if this fails, it can go."""
    call = AIMessage("", tool_calls=[{"name": "search_orders", "args": {}, "id": "c1"}])
    with ScriptedModel("ok") as server:
        plain = ChatNVIDIA(model="scripted", base_url=server.base_url, api_key="none")
        with pytest.raises(Exception, match="a tool result without its call"):
            await plain.ainvoke([*HELLO, call, ToolMessage("two", tool_call_id="c1")])


async def test_the_callers_messages_are_not_touched() -> None:
    """What is sent is a copy: state keeps the message as it is."""
    stale = {"tool_calls": [{"id": "old"}], "reasoning_content": "hm"}
    call = AIMessage("", tool_calls=[{"name": "search_orders", "args": {}, "id": "c1"}], additional_kwargs=dict(stale))
    with ScriptedModel("ok") as server:
        await server.chat().ainvoke([*HELLO, call, ToolMessage("two", tool_call_id="c1")])
    assert call.additional_kwargs == stale
    assert server.requests[0]["messages"][1]["tool_calls"][0]["id"] == "c1"


async def test_calls_with_unreadable_arguments_are_not_sent_back() -> None:
    """A call whose arguments are not JSON is never answered by a tool, so it must not go out either."""
    broken = {"id": "c9", "type": "function", "function": {"name": "search_orders", "arguments": '{"query": '}}
    body = {
        "choices": [{"index": 0, "message": {"content": "", "tool_calls": [broken]}, "finish_reason": "tool_calls"}]
    }
    with ScriptedModel(Raw(json.dumps(body)), "ok") as server:
        model = server.chat()
        answer = await model.ainvoke(HELLO)
        assert (answer.tool_calls, len(answer.invalid_tool_calls)) == ([], 1)
        await model.ainvoke([*HELLO, answer, HumanMessage("again")])
    assert "tool_calls" not in server.requests[1]["messages"][1]


# -- parameters


async def test_parameters() -> None:
    """Roles come out as they should, and the bound, the temperature and the usage are asked for."""
    with ScriptedModel("a", "b", "c") as server:
        model = server.chat(max_tokens=77)
        await model.ainvoke([SystemMessage("be brief"), *HELLO])
        await streamed(model, HELLO)
        await model.bind(max_tokens=33).ainvoke(HELLO)
    whole, stream, bound = server.requests
    assert [m["role"] for m in whole["messages"]] == ["system", "user"]
    assert (whole["model"], whole["max_tokens"], whole["temperature"], whole["stream"]) == ("scripted", 77, 0.0, False)
    assert (stream["max_tokens"], stream["stream_options"]) == (77, {"include_usage": True})
    assert bound["max_tokens"] == 33


async def test_usage_and_finish_reason() -> None:
    """Usage and why the answer ended come back whole and streamed alike; max_tokens cuts."""
    with ScriptedModel("one two three four", "one two three four") as server:
        model = server.chat().bind(max_tokens=3)
        for answer in (await model.ainvoke(HELLO), await streamed(model, HELLO)):
            assert isinstance(answer, AIMessage)
            assert answer.text == "one two three"
            assert answer.response_metadata["finish_reason"] == "length"
            assert answer.usage_metadata
            assert answer.usage_metadata["output_tokens"] == 3
            assert answer.usage_metadata["input_tokens"] > 0


async def test_key() -> None:
    """The key given is the one sent, and without one none is sent, whatever the environment holds."""
    with ScriptedModel("a", "b") as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("NVIDIA_API_KEY", "nvapi-of-somebody")
        await server.chat().ainvoke(HELLO)
        await server.chat(api_key="nvapi-mine").ainvoke(HELLO)
    assert "nvapi" not in server.headers[0].get("authorization", "")
    assert server.headers[1]["authorization"] == "Bearer nvapi-mine"


@pytest.mark.parametrize("model", ["meta/llama-3.1-8b-instruct", "brand/new-model"])
@pytest.mark.parametrize("url", [None, "http://127.0.0.1:9/v1"])
def test_construction_asks_nobody(model: str, url: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making a model opens no connection, hosted or not, known or not, and says nothing."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = chat_model(Endpoint(url, "nvapi-x", 5), model, max_tokens=10)
    assert made.model == model
    assert made._client.usage_telemetry_enabled is False
    assert made._async_client.usage_telemetry_enabled is False


def test_no_endpoint() -> None:
    """Neither URL nor key is an error that says what to set."""
    with pytest.raises(ValueError, match="set NVIDIA_BASE_URL"):
        chat_model(Endpoint(None, None, 5), "m", max_tokens=10)


def test_password_in_url() -> None:
    """A URL with a password is refused without repeating it."""
    with pytest.raises(ValueError, match="NVIDIA_BASE_URL") as caught:
        chat_model(Endpoint("http://me:hunter2@127.0.0.1:9/v1", None, 5), "m", max_tokens=10)
    assert "hunter2" not in str(caught.value)
    assert "nvapi" not in repr(Endpoint(None, "nvapi-secret", 5))


# -- silence


@pytest.mark.parametrize("ask", [lambda m: m.ainvoke(HELLO), lambda m: streamed(m, HELLO)])
async def test_silence_before_the_answer(ask: Callable[[NVIDIA], Any]) -> None:
    """A server that takes the request and never answers ends in a timeout that says so, in time."""
    with ScriptedModel(otherwise=Slow(60, "late")) as server:
        started = time.monotonic()
        with pytest.raises(ModelTimeout, match=r"silent for 0\.3 s") as caught:
            await ask(server.chat(timeout=0.3))
    assert time.monotonic() - started < 2
    assert isinstance(caught.value.__cause__, TimeoutError)
    assert server.base_url in str(caught.value)


async def test_silence_on_the_sync_path() -> None:
    """The sync client's timeout holds as well."""
    with ScriptedModel(otherwise=Slow(60, "late")) as server, pytest.raises(ModelTimeout):
        await asyncio.to_thread(server.chat(timeout=0.3).invoke, HELLO)


@pytest.mark.parametrize("hangs", [60, 0.05])
async def test_silence_in_the_middle(hangs: float) -> None:
    """A stream that stops, or sends nothing but keep-alive comments, times out; what came before is not an answer."""
    seen: list[str] = []
    started = time.monotonic()
    with ScriptedModel(Cut("one two three", after=3, hangs=hangs)) as server, pytest.raises(ModelTimeout):
        await streamed(server.chat(timeout=0.3), HELLO, seen)
    assert "".join(seen) == "one two"
    assert time.monotonic() - started < 2


async def test_a_slow_stream_is_not_silent() -> None:
    """A long answer may take much longer than the timeout as long as it keeps coming."""

    async def slowly(request: dict[str, Any]) -> Any:
        async def pieces() -> Any:
            async for event in events(request, Reply("one two three four five six")):
                await asyncio.sleep(0.1)
                yield event

        return StreamingResponse(pieces(), media_type="text/event-stream")

    with ScriptedModel(slowly) as server:
        assert (await streamed(server.chat(timeout=0.4), HELLO)).text == "one two three four five six"


async def test_nobody_listens() -> None:
    """A dead endpoint is unreachable, at once, with its address and its cause."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    model = chat_model(Endpoint(f"http://127.0.0.1:{port}/v1", "nvapi-key", 5), "m", max_tokens=5)
    for ask in (model.ainvoke(HELLO), streamed(model, HELLO), asyncio.to_thread(model.invoke, HELLO)):
        with pytest.raises(ModelUnreachable, match=f"127.0.0.1:{port}.*NVIDIA_BASE_URL") as caught:
            await ask
        assert caught.value.__cause__ is not None


async def test_nobody_picks_up() -> None:
    """A host that doesn't complete the connection is unreachable, not merely slow to answer."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf, contextlib.ExitStack() as held:
        for _ in range(4):  # fill the queue of connections that nobody accepts
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(deaf.getsockname())
        model = chat_model(Endpoint(f"http://127.0.0.1:{deaf.getsockname()[1]}/v1", None, 0.3), "m", max_tokens=5)
        for ask in (model.ainvoke(HELLO), asyncio.to_thread(model.invoke, HELLO)):
            with pytest.raises(ModelUnreachable, match="NVIDIA_BASE_URL"):
                await ask


async def test_our_own_time_is_not_silence() -> None:
    """Whoever is slow to take a chunk does not blame the server for it."""
    seen: list[str] = []
    with ScriptedModel("one two three") as server:
        async for chunk in server.chat(timeout=0.3).astream(HELLO):
            seen.append(chunk.text)
            await asyncio.sleep(0.2)
    assert "".join(seen) == "one two three"


# -- refusals and nonsense


@pytest.mark.parametrize(
    ("status", "advice"),
    [(401, "NVIDIA_API_KEY"), (404, "/v1/models"), (400, "too long"), (429, "rate"), (500, "log"), (503, "log")],
)
async def test_refusal(status: int, advice: str) -> None:
    """An error status becomes ModelRefused with the status and the next step, and never shows the key."""
    with ScriptedModel(otherwise=Fail(status, "your key nvapi-secret is not welcome")) as server:
        model = server.chat(api_key="nvapi-secret")
        for ask in (model.ainvoke(HELLO), streamed(model, HELLO), asyncio.to_thread(model.invoke, HELLO)):
            with pytest.raises(ModelRefused, match=advice) as caught:
                await ask
            assert caught.value.status == status
            assert server.base_url in str(caught.value)
            assert "is not welcome" in str(caught.value)
            assert "nvapi-secret" not in str(caught.value) + repr(caught.value.__cause__)


async def test_unknown_model() -> None:
    """A wrong model name is a 404 that points at the list of models."""
    with ScriptedModel() as server, pytest.raises(ModelRefused, match="`no/such` does not exist") as caught:
        await chat_model(server.endpoint(), "no/such", max_tokens=5).ainvoke(HELLO)
    assert caught.value.status == 404
    assert server.paths == ["/v1/chat/completions"]


@pytest.mark.parametrize(
    "body", ["<html>Welcome to nginx</html>", "{", "[]", '{"hello": 1}', "", '{"choices": []}', b"\xff\xfe"]
)
async def test_nonsense_with_status_200(body: str | bytes) -> None:
    """A 200 that is no chat completion is BadOutput, not an empty answer."""
    with ScriptedModel(otherwise=Raw(body, "text/html")) as server:
        model = server.chat()
        for ask in (model.ainvoke(HELLO), asyncio.to_thread(model.invoke, HELLO)):
            with pytest.raises(BadOutput, match="NVIDIA_BASE_URL"):
                await ask
        with pytest.raises(ModelError):
            await streamed(model, HELLO)


@pytest.mark.parametrize("clean", [True, False])
async def test_connection_lost_in_the_middle(clean: bool) -> None:
    """Half a reply is an error, also where the connection ends politely."""
    with ScriptedModel(otherwise=Cut("one two three", after=3, clean=clean)) as server:
        model = server.chat()
        with pytest.raises(ModelUnreachable):
            await streamed(model, HELLO)
        with pytest.raises(ModelUnreachable):
            await asyncio.to_thread(lambda: list(model.stream(HELLO)))


@pytest.mark.parametrize(
    "event",
    [
        {"error": {"object": "error", "message": "out of memory", "type": "InternalServerError", "code": 500}},
        {"error": {"message": "out of memory", "type": "InternalServerError", "code": 500}},
        {"error": "out of memory"},
    ],
)
async def test_error_event_in_a_stream(event: dict[str, Any]) -> None:
    """An error in the middle of a stream is raised in whatever shape it comes; the client swallows two of the three."""
    broken = Cut("one two", after=2, clean=True, tail=f"data: {json.dumps(event)}\n\n")
    with ScriptedModel(broken) as server, pytest.raises(ModelRefused, match="out of memory") as caught:
        await streamed(server.chat(), HELLO)
    assert caught.value.status is None


async def test_garbage_in_a_stream() -> None:
    """A line that is not JSON in a stream is BadOutput."""
    broken = Cut("one two", after=2, clean=True, tail="data: {what\n\n")
    with ScriptedModel(broken) as server, pytest.raises(BadOutput):
        await streamed(server.chat(), HELLO)


async def test_a_stream_that_is_left_early() -> None:
    """Whoever stops listening closes the connection and gets no error."""
    with ScriptedModel("one two three four") as server:
        async for chunk in server.chat().astream(HELLO):
            if chunk.text:
                break


def test_errors_can_be_copied() -> None:
    """Errors keep their fields where a host copies or pickles them."""
    refused, bad = copy.deepcopy(ModelRefused("no", 404)), copy.deepcopy(BadOutput("bad", "raw"))
    assert (str(refused), refused.status, str(bad), bad.text) == ("no", 404, "bad", "raw")


# -- one request for JSON


async def test_structured() -> None:
    """Exactly one request, with response_format and nothing else, gives the object."""
    with ScriptedModel({"claims": [1]}) as server:
        assert await structured(server.chat(), SCHEMA, [SystemMessage("extract"), *HELLO]) == {"claims": [1]}
    (request,) = server.requests
    assert request["response_format"] == {"type": "json_schema", "json_schema": {"name": "claims", "schema": SCHEMA}}
    assert not {"guided_json", "nvext", "tools"} & request.keys()
    assert server.paths == ["/v1/chat/completions"]


@pytest.mark.parametrize("said", ["no idea", "[1]", '{"claims": [', "", '"text"', "```json\n{}\n```"])
async def test_structured_bad_output(said: str) -> None:
    """What is no JSON object is BadOutput with the text, after a single request."""
    with ScriptedModel(said) as server, pytest.raises(BadOutput, match="claims") as caught:
        await structured(server.chat(), SCHEMA, HELLO)
    assert caught.value.text == said
    assert len(server.requests) == 1


async def test_structured_truncated() -> None:
    """JSON cut off by max_tokens says so."""
    long = {"claims": ["a", "b", "c"]}
    with ScriptedModel(long) as server, pytest.raises(BadOutput, match="cut off by max_tokens"):
        await structured(server.chat().bind(max_tokens=4), SCHEMA, HELLO)
    assert server.requests[0]["max_tokens"] == 4


async def test_structured_refused() -> None:
    """A refusal is the typed error, after a single request."""
    with ScriptedModel(Fail(500)) as server, pytest.raises(ModelRefused):
        await structured(server.chat(), SCHEMA, HELLO)
    assert len(server.requests) == 1


async def test_structured_is_never_streamed_to_a_customer() -> None:
    """In a graph that streams its messages, the JSON of an extraction is not among them."""
    with ScriptedModel({"claims": []}, "Hello!") as server:
        model = server.chat()

        async def turn(state: MessagesState) -> dict[str, Any]:
            await structured(model, SCHEMA, state["messages"])
            return {"messages": [await model.ainvoke(state["messages"])]}

        builder = StateGraph(MessagesState)
        builder.add_node("turn", turn)
        builder.add_edge(START, "turn")
        builder.add_edge("turn", END)
        asked = MessagesState(messages=[HumanMessage("hello")])
        shown: list[Any] = [event async for event in builder.compile().astream(asked, stream_mode="messages")]
    assert "".join(chunk.text for chunk, _ in shown) == "Hello!"
    assert len(server.requests) == 2
