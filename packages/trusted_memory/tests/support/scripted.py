"""A model that says what a test tells it to, over real HTTP: the offline server's protocol around a script.

with ScriptedModel("Hello!", Fail(429), calls(("look_up_account", {}))) as model:
    chat = model.chat()
    ...
    assert model.requests[0]["messages"][0]["role"] == "system"
"""

import asyncio
import atexit
import inspect
import json
import time
import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any, Self

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from trusted_memory.models.nvidia import NVIDIA, Endpoint, chat_model
from trusted_memory.offline.model import MODEL, demo, serving
from trusted_memory.offline.protocol import application, events, refusal
from trusted_memory.offline.replies import Reply

Request = dict[str, Any]


@dataclass(frozen=True)
class Fail:
    """An error status, as a NIM words it."""

    status: int
    message: str = "scripted failure"


@dataclass(frozen=True)
class Slow:
    """The reply, after a while."""

    seconds: float
    reply: Any


@dataclass(frozen=True)
class Cut:
    """A stream that breaks off after so many events, having said `tail`.

    It hangs up with an error; or `clean`, as a proxy does; or it keeps the line open and sends nothing but a comment
    every `hangs` seconds.
    """

    text: str
    after: int
    hangs: float = 0
    clean: bool = False
    tail: str = ""


@dataclass(frozen=True)
class Raw:
    """Any body at all, with status 200."""

    body: str | bytes
    media_type: str = "application/json"


# Text; a dict for JSON text; a Reply; one of the above; or a function of the request's body, async or not, giving one.
Scripted = str | dict[str, Any] | Reply | Fail | Slow | Cut | Raw | Callable[[Request], Any]


def calls(*tool_calls: tuple[str, dict[str, Any]], text: str = "") -> Reply:
    """A reply that calls tools."""
    return Reply(text, tool_calls)


class ScriptedModel:
    """Plays its script, one reply a request, then `otherwise` (the demo model's rules, say) or an error.

    `requests` are the bodies of all chat completions in order, `headers` the headers and `paths` the paths of all
    requests, look-ups included.
    """

    def __init__(
        self,
        *script: Scripted,
        otherwise: Scripted = Fail(500, "the script is over: add a reply, or say what happens otherwise"),
        models: tuple[str, ...] = ("scripted", MODEL),
    ) -> None:
        self.script = deque(script)
        self.otherwise = otherwise
        self.requests: list[Request] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.base_url = ""
        self.app = application(self._answer, models)
        self.over = False

    def __enter__(self) -> Self:
        mount = uuid.uuid4().hex
        _mounted[mount] = self
        self.base_url = _server().replace("/v1", f"/{mount}/v1")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over = True
        del _mounted[self.base_url.split("/")[-2]]

    def add(self, *script: Scripted) -> None:
        """Replies for the next requests."""
        self.script.extend(script)

    def endpoint(self, *, timeout: float = 10, api_key: str | None = None) -> Endpoint:
        return Endpoint(self.base_url, api_key, timeout)

    def chat(self, *, timeout: float = 10, max_tokens: int = 500, api_key: str | None = None) -> NVIDIA:
        """The product's own client for this model."""
        return chat_model(self.endpoint(timeout=timeout, api_key=api_key), "scripted", max_tokens=max_tokens)

    async def _answer(self, request: Request) -> Reply | Response:
        self.requests.append(request)
        return await self._play(self.script.popleft() if self.script else self.otherwise, request)

    async def _play(self, scripted: Any, request: Request) -> Reply | Response:
        match scripted:
            case Reply() | Response():
                return scripted
            case str():
                return Reply(scripted)
            case dict():
                return Reply(json.dumps(scripted))
            case Fail(status, message):
                return refusal(status, "ScriptedError", message)
            case Slow(seconds, reply):
                await self._pass(seconds)
                return await self._play(reply, request)
            case Cut():
                return StreamingResponse(self._cut(scripted, request), media_type="text/event-stream")
            case Raw(body, media_type):
                return Response(body, media_type=media_type)
        result = scripted(request)
        return await self._play(await result if inspect.isawaitable(result) else result, request)

    async def _cut(self, cut: Cut, request: Request) -> AsyncIterator[str]:
        count = 0
        async for event in events(request, Reply(cut.text)):
            if count == cut.after:
                break
            count += 1
            yield event
        if cut.tail:
            yield cut.tail
        while cut.hangs and not self.over:
            await self._pass(cut.hangs)
            yield ": still here\n\n"
        if not (cut.clean or cut.hangs):
            raise ConnectionResetError("scripted: the model hangs up")

    async def _pass(self, seconds: float) -> None:
        """Time goes by, but not longer than the test."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.over:  # noqa: ASYNC110 - set from another thread, unlike an Event
            await asyncio.sleep(min(0.02, seconds))


# All scripted models of a process are mounted on one server: starting and stopping one each took 0.2 s a test.
_mounted: dict[str, ScriptedModel] = {}


@cache
def _server() -> str:
    running = ExitStack()
    atexit.register(running.close)
    return running.enter_context(serving(_route))


async def _route(scope: Scope, receive: Receive, send: Send) -> None:
    _, mount, path = scope["path"].split("/", 2)
    if (model := _mounted.get(mount)) is None:
        await refusal(404, "NotFoundError", "this scripted model is not running any more")(scope, receive, send)
        return
    model.paths.append(f"/{path}")
    model.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
    await model.app({**scope, "path": f"/{path}"}, receive, send)


__all__ = ["Cut", "Fail", "Raw", "Reply", "ScriptedModel", "Slow", "calls", "demo"]
