"""Fold whole old turns into the summary: one update holds the new summary and the removal of what it covers."""

import json
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig

from graph.core.blocks import PINNED
from graph.core.budget import Budget
from graph.core.fold import Line, chunks
from graph.core.identifiers import exact, keep
from graph.core.reduce import CountText
from graph.nodes.messages import calls_of, pictures_of, remembered, role_of, text_of
from graph.nodes.recent import to_fold
from graph.nodes.request import Count, counting
from graph.nodes.summarizer import Summarizer, SummaryUnusable

log = logging.getLogger(__name__)

# Which of these words the exact transcript of this conversation holds.
Search = Callable[[RunnableConfig, Sequence[str]], Awaitable[Collection[str]]]
Report = Callable[[dict[str, Any]], None]
Node = Callable[[Mapping[str, Any], RunnableConfig], Awaitable[dict[str, Any]]]

# Calls of the model in one fold; the rest is folded after the next turn. The first turn is always finished.
_MOST_CALLS = 6


@dataclass(frozen=True)
class Folded:
    """What stands after some accepted summaries; they cover the first `turns` of the turns that were to be folded."""

    summary: str
    pinned: list[str]
    turns: int = 0
    calls: int = 0
    failure: str = ""


@dataclass(frozen=True)
class Fold:
    """Old turns, shown to the summarizer whole, a request at a time; each accepted summary is a step that stands."""

    summarizer: Summarizer
    search: Callable[[Sequence[str]], Awaitable[Collection[str]]]
    count: CountText
    pinned: int

    async def run(self, lines: Sequence[Line], start: Folded) -> Folded:
        done = start
        packed = chunks(lines, self.summarizer.room, self.count)
        for at, chunk in enumerate(packed):
            if done.turns and at >= _MOST_CALLS:
                return done
            following = packed[at + 1][0].turn if at + 1 < len(packed) else lines[-1].turn + 1
            try:
                done = replace(await self._step(done, chunk), turns=following, calls=at + 1)
            # Providers raise bare exceptions (ChatNVIDIA: `Exception("[404] ...")`), and no failure of a summary may
            # take the customer's turn with it.
            except Exception as error:
                log.debug("summarize failed", exc_info=error)
                return replace(done, calls=at + 1, failure=str(error) or type(error).__name__)
        return done

    async def _step(self, before: Folded, chunk: Sequence[Line]) -> Folded:
        summary = await self.summarizer.extend(before.summary, "".join(line.text for line in chunk))
        covered = [word for line in chunk for word in exact(line.said, line.who)]
        kept = keep(summary, before.pinned, [*exact(before.summary, "earlier"), *covered], self.pinned, self.count)
        lost = set(kept.out) - set(await self.search(kept.out)) if kept.out else set()
        if lost:
            raise SummaryUnusable(f"{len(lost)} identifiers would be lost, such as {min(lost)!r}")
        return replace(before, summary=summary, pinned=kept.pinned)


def make_summarize(
    model: BaseChatModel,
    *,
    budget: Budget,
    count: Count,
    prompt: Callable[[int], str],
    search: Search,
    report: Report = lambda _: None,
    timeout: float = 60,
) -> Node:
    """The node. `prompt` gives the instructions for at most so many words, `search` asks the transcript.

    Whatever goes wrong, state stays as it is, the turn goes on, and the next one tries again.
    """
    summarizer = Summarizer(model, budget, count, prompt, timeout)

    words = counting(count)

    async def summarize(state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        messages: Sequence[BaseMessage] = state["messages"]
        old = to_fold(messages, budget.soft, budget, count)
        lines = [
            line for at, turn in enumerate(old) for item in turn.items for line in _lines(at, messages[item.position])
        ]
        if not lines:
            return {}
        summary, pinned = remembered(state)
        fold = Fold(summarizer, partial(search, config), words, budget.pinned - words(PINNED))
        folded = await fold.run(lines, Folded(summary, pinned))
        ids = list(dict.fromkeys(str(item.id) for turn in old[: folded.turns] for item in turn.items))
        said = {
            "turns": folded.turns,
            "of": len(old),
            "messages": len(ids),
            "calls": folded.calls,
            "failure": folded.failure,
        }
        log.log(logging.WARNING if folded.failure else logging.INFO, "summarize: %s", said)
        report(said)
        if not folded.turns:
            return {}
        return {
            "summary": folded.summary,
            "pinned": folded.pinned,
            "messages": [RemoveMessage(id=gone) for gone in ids],
        }

    return summarize


def _lines(turn: int, message: BaseMessage) -> Iterator[Line]:
    """All of a message as the summarizer is shown it; who said it stays visible."""
    role = role_of(message)
    who = {"customer": "customer", "assistant": "assistant", "tool": f"tool {message.name or ''}".strip()}
    text = "\n".join([text_of(message), *["[a picture]" for _ in pictures_of(message)]]).strip()
    if text:
        yield Line(turn, who.get(role, "of unknown origin, unverified"), text)
    for call in calls_of(message):
        yield Line(turn, f"assistant called {call['name']}", json.dumps(call["args"], ensure_ascii=False, default=str))
