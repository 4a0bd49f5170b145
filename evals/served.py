"""The models of an evaluation over real HTTP: a script for each role, and a record of who was asked what."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import anyio
from langchain_core.messages import convert_to_messages
from starlette.responses import JSONResponse, Response

from evals.place import CHAT, EXTRACTION, SUMMARY
from support.extractive import Extractive
from trusted_memory.offline.model import serving
from trusted_memory.offline.protocol import application
from trusted_memory.offline.replies import Reply, reply, said
from trusted_memory.offline.understanding import MESSAGE

Request = dict[str, Any]
Script = Callable[[Request], Reply | Awaitable[Response]]
Claims = Sequence[Mapping[str, Any]]  # as the extraction's reply has them, without the message's number


@dataclass(frozen=True)
class Asked:
    """One request: who was asked, when the question came and when the answer left (monotonic), and the question."""

    role: str
    at: float
    until: float
    request: Request


@dataclass
class Served:
    """What answers, by role, and what was asked. `delays` are seconds that a role takes to think."""

    scripts: dict[str, Script]
    delays: dict[str, float] = field(default_factory=dict)
    keep: bool = True  # the requests themselves; a long run counts only
    url: str = ""
    asked: list[Asked] = field(default_factory=list)

    def of(self, role: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.role == role]

    async def answer(self, request: Request) -> Reply | Response:
        role, at = str(request["model"]), time.monotonic()
        if delay := self.delays.get(role):
            await anyio.sleep(delay)
        scripted = self.scripts[role](request)
        answered = scripted if isinstance(scripted, Reply) else await scripted
        self.asked.append(Asked(role, at, time.monotonic(), request if self.keep else {}))
        return answered


@contextmanager
def models(
    chat: Script = reply, extraction: Script | None = None, summary: Script | None = None, *, keep: bool = True
) -> Iterator[Served]:
    """Serves the three roles; what is not scripted is the demo model's, or the extractive summarizer's."""
    served = Served({CHAT: chat, EXTRACTION: extraction or reply, SUMMARY: summary or extractive()}, keep=keep)
    with serving(application(served.answer, (CHAT, EXTRACTION, SUMMARY))) as url:
        served.url = url
        yield served


def extractive(faults: str = "none") -> Script:
    """A summarizer that can only copy; or what it does instead, a call each, in turn."""
    model = Extractive(faults=tuple(faults.split(",")))

    def summarize(request: Request) -> Reply:
        messages = convert_to_messages(request["messages"])
        return Reply(str(model.invoke(messages, max_tokens=request.get("max_tokens", 1_000)).content))

    return summarize


def forward(url: str, model: str, timeout: float) -> Script:
    """A real model's answer, by way of this server, so that what it was asked is on record.

    It is asked one thing at a time: the next question ends an answer that nobody waits for any longer.
    """
    asking: list[asyncio.Task[Response]] = []

    async def ask(request: Request) -> Response:
        for before in asking:
            before.cancel()
        asking[:] = [asyncio.create_task(_ask(request))]
        try:
            return await asking[0]
        except asyncio.CancelledError:
            return JSONResponse({"error": {"message": "something else was asked meanwhile"}}, status_code=499)

    async def _ask(request: Request) -> Response:
        patience = aiohttp.ClientTimeout(total=timeout)
        body = {**request, "model": model, "stream": False}
        async with (
            aiohttp.ClientSession(timeout=patience) as session,
            session.post(f"{url.rstrip('/')}/chat/completions", json=body) as answer,
        ):
            return JSONResponse(await answer.json(), status_code=answer.status)

    return ask


def extractor(knows: Mapping[str, Claims], bait: Mapping[str, Claims] | None = None) -> Script:
    """Knows exactly what each customer's message says. And believes the assistant: what that said in `bait` it claims
    of the customer too, once for the message that said it and once for the customer's next one."""

    def extract(request: Request) -> Reply:
        parts = MESSAGE.split(said(request["messages"][-1]))[1:]
        found: list[dict[str, Any]] = []
        believed: Claims = ()
        for number, role, text in zip(*[iter(parts)] * 3, strict=True):
            stripped = text.partition("\n</")[0].strip()
            if role == "customer":
                # Every other time it even lends the assistant's value the customer's own words.
                lent = [{**claim, "quote": stripped} if len(stripped) % 2 else claim for claim in believed]
                claims: Claims = [*knows.get(stripped, ()), *lent]
                believed = ()
            else:
                claims = believed = (bait or {}).get(stripped, ())
            found += [{**_CLAIM, **claim, "message": int(number)} for claim in claims]
        return Reply(json.dumps({"claims": found}, ensure_ascii=False))

    return extract


_CLAIM: dict[str, Any] = {
    "intent": "state", "about": "customer", "valid_from": None, "valid_until": None, "accepts": None,
}  # fmt: skip
