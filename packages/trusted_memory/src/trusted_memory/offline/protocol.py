"""The protocol of a NIM (chat completions as OpenAI and vLLM word them) around an answer."""

import json
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from trusted_memory.offline.replies import Reply

TOKEN = re.compile(r"\s*(?:[A-Za-z]{1,6}|\d{1,3}|\S)|\s+")  # joined again, the tokens of a text are the text

Answer = Callable[[dict[str, Any]], Awaitable[Reply | Response]]


def application(answer: Answer, models: Sequence[str]) -> Starlette:
    """The protocol around an answer: chat completions whole and streamed, the list of models, and readiness."""

    async def complete(http: Request) -> Response:
        try:
            request = await http.json()
        except ValueError:
            return refusal(400, "BadRequestError", "the body is not JSON")
        if why := invalid(request):
            return refusal(400, "BadRequestError", why)
        if request.get("model") not in models:
            return refusal(404, "NotFoundError", f"The model `{request.get('model')}` does not exist.")
        answered = await answer(request)
        if isinstance(answered, Response):
            return answered
        if request.get("stream"):
            return StreamingResponse(events(request, answered), media_type="text/event-stream")
        return JSONResponse(completion(request, answered))

    async def listed(_: Request) -> Response:
        rows = [{"id": name, "object": "model", "created": 0, "owned_by": "offline", "root": name} for name in models]
        return JSONResponse({"object": "list", "data": rows})

    async def ready(_: Request) -> Response:
        return JSONResponse({"object": "health.response", "message": "Service is ready."})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", complete, methods=["POST"]),
            Route("/v1/models", listed),
            Route("/v1/health/ready", ready),
        ]
    )


def refusal(status: int, kind: str, message: str) -> JSONResponse:
    """An error as a NIM words it."""
    body = {"object": "error", "message": message, "type": kind, "param": None, "code": status}
    return JSONResponse(body, status_code=status)


def invalid(request: Any) -> str | None:
    """What a strict provider refuses: histories that its chat template cannot hold."""
    messages = request.get("messages") if isinstance(request, dict) else None
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) and "role" in m for m in messages):
        return "messages must be a list of messages with a role, at least one"
    awaited: list[str] = []
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in awaited:
                return f"message {place}: a tool result without its call"
            awaited.remove(message["tool_call_id"])
            continue
        if awaited:
            return f"message {place}: the tool calls before it have no results"
        if message["role"] == "system" and place:
            return f"message {place}: only the first message may be a system message"
        awaited = [call["id"] for call in message.get("tool_calls") or ()]
    return "the last tool calls have no results" if awaited else None


def completion(request: dict[str, Any], answered: Reply) -> dict[str, Any]:
    """The whole answer, cut where max_tokens ends it."""
    text, finish, usage = _measured(request, answered)
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if answered.calls:
        message["tool_calls"] = _calls(answered)
    return {
        **_envelope(request, "chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    }


async def events(request: dict[str, Any], answered: Reply) -> AsyncIterator[str]:
    """The same answer as server-sent events, in the deltas that vLLM sends."""
    text, finish, usage = _measured(request, answered)
    envelope = _envelope(request, "chat.completion.chunk")

    def event(delta: dict[str, Any], finish_reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return f"data: {json.dumps({**envelope, 'choices': [choice]})}\n\n"

    yield event({"role": "assistant", "content": ""})
    for token in TOKEN.findall(text):
        yield event({"content": token})
    for index, call in enumerate(_calls(answered)):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        yield event({"tool_calls": [{**call, "index": index, "function": {"name": name, "arguments": ""}}]})
        for start in range(0, len(arguments), 8):
            piece = {"index": index, "function": {"arguments": arguments[start : start + 8]}}
            yield event({"tool_calls": [piece]})
    yield event({}, finish)
    if (request.get("stream_options") or {}).get("include_usage"):
        yield f"data: {json.dumps({**envelope, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


def _measured(request: dict[str, Any], answered: Reply) -> tuple[str, str, dict[str, int]]:
    """The text within max_tokens, why it ends, and the usage."""
    shown = json.dumps([request["messages"], request.get("tools") or ()], ensure_ascii=False)
    tokens = TOKEN.findall(answered.text)
    limit = request.get("max_completion_tokens") or request.get("max_tokens") or len(tokens)
    finish = "length" if len(tokens) > limit else "tool_calls" if answered.calls else "stop"
    tokens = tokens[:limit]
    sent = len(tokens) + sum(len(TOKEN.findall(name + json.dumps(args))) for name, args in answered.calls)
    read = len(TOKEN.findall(shown))
    return "".join(tokens), finish, {"prompt_tokens": read, "completion_tokens": sent, "total_tokens": read + sent}


def _calls(answered: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{uuid.uuid4().hex[:12]}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)},
        }
        for name, args in answered.calls
    ]


def _envelope(request: dict[str, Any], kind: str) -> dict[str, Any]:
    answer = f"chatcmpl-{uuid.uuid4().hex}"
    return {"id": answer, "object": kind, "created": int(time.time()), "model": request.get("model")}
