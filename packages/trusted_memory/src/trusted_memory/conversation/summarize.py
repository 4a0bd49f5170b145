"""Fold whole old turns into the summary: one update holds the new summary and the removal of what it covers."""

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig

from trusted_memory.conversation.blocks import summary_block
from trusted_memory.conversation.budget import Budget
from trusted_memory.conversation.fold import Line, due, take
from trusted_memory.conversation.history import Turn, cuts, heal, turns
from trusted_memory.conversation.identifiers import exact, grounded, keep
from trusted_memory.conversation.messages import items_of, lines_of, remembered
from trusted_memory.conversation.reduce import CountText, reduce_text
from trusted_memory.conversation.summarizer import Summarizer, SummaryUnusable
from trusted_memory.conversation.tokens import Count, counting, within
from trusted_memory.conversation.view import Shower

log = logging.getLogger(__name__)

# Which of these words the exact transcript of this conversation holds.
Search = Callable[[RunnableConfig, Sequence[str]], Awaitable[Collection[str]]]
Report = Callable[[dict[str, Any]], None]
Node = Callable[[Mapping[str, Any], RunnableConfig], Awaitable[dict[str, Any]]]

# Calls of the model in one fold; the rest is folded after the next turn. The first turn is always finished.
_MOST_CALLS = 6
# A message longer than so many requests is shown by its head and tail; all of it is in the transcript.
_MOST_REQUESTS = 4


@dataclass(frozen=True)
class Folded:
    """What stands after some accepted summaries; they cover the first `turns` of the turns that were to be folded."""

    summary: str
    pinned: list[str]
    turns: int = 0
    calls: int = 0
    ungrounded: int = 0  # lines left out that named what nobody said
    failure: str = ""


@dataclass(frozen=True)
class Fold:
    """Old turns, shown to the summarizer whole, a request at a time; each accepted summary is a step that stands."""

    summarizer: Summarizer
    search: Callable[[Sequence[str]], Awaitable[Collection[str]]]
    count: CountText
    bound: int  # tokens of summary and pinned list together

    async def run(self, lines: Sequence[Line], start: Folded) -> Folded:
        done, left = start, list(lines)
        while left and not (done.turns and done.calls >= _MOST_CALLS):
            done = replace(done, calls=done.calls + 1)
            chunk, left = take(left, partial(self.summarizer.fits, done.summary))
            following = left[0].turn if left else lines[-1].turn + 1
            try:
                done = replace(await self._step(done, chunk), turns=following)
            # Providers raise bare exceptions (ChatNVIDIA: `Exception("[404] ...")`), and no failure of a summary may
            # take the customer's turn with it.
            except Exception as error:
                log.debug("summarize failed", exc_info=error)
                return replace(done, failure=str(error) or type(error).__name__)
        return done

    async def _step(self, before: Folded, chunk: Sequence[Line]) -> Folded:
        transcript = "".join(line.text for line in chunk)
        written = await self.summarizer.extend(before.summary, transcript)
        summary = grounded(written, f"{before.summary}\n{transcript}")
        if not summary.strip():
            raise SummaryUnusable("every line of the summary names what nobody said")
        covered = [word for line in chunk for word in exact(line.said, line.who)]
        earlier = exact(before.summary, "earlier")
        kept = keep(summary, before.pinned, [*earlier, *covered], lambda pinned: self._fits(summary, pinned))
        lost = set(kept.out) - set(await self.search(kept.out)) if kept.out else set()
        if lost:
            raise SummaryUnusable(f"{len(lost)} identifiers would be lost, such as {min(lost)!r}")
        ungrounded = before.ungrounded + len(written.splitlines()) - len(summary.splitlines())
        return replace(before, summary=summary, pinned=kept.pinned, ungrounded=ungrounded)

    def _fits(self, summary: str, pinned: Sequence[str]) -> bool:
        return self.count(summary_block(summary, pinned)) <= self.bound


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

    def capped(line: Line) -> Line:
        return replace(line, said=reduce_text(line.said, summarizer.room * _MOST_REQUESTS, "", line.message, words))

    async def summarize(state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        messages: Sequence[BaseMessage] = state["messages"]
        old = to_fold(messages, budget.soft, budget, count)
        lines = [capped(line) for line in lines_of(old, messages)]
        if not lines:
            return {}
        summary, pinned = remembered(state)
        # An edit by hand may have left more than a request holds.
        summary = reduce_text(summary, budget.summary, "", "", words)
        fold = Fold(summarizer, partial(search, config), words, budget.summary)
        folded = await fold.run(lines, Folded(summary, pinned))
        covered = max((cut for cut in cuts(old) if cut <= folded.turns), default=0)
        ids = list(dict.fromkeys(str(item.id) for turn in old[:covered] for item in turn.items))
        outcome = {
            "turns": covered,
            "of": len(old),
            "messages": len(ids),
            "calls": folded.calls,
            "ungrounded": folded.ungrounded,
            "failure": folded.failure,
        }
        log.log(logging.WARNING if folded.failure else logging.INFO, "summarize: %s", outcome)
        report(outcome)
        if not covered:
            return {}
        return {
            "summary": folded.summary,
            "pinned": folded.pinned,
            "messages": [RemoveMessage(id=gone) for gone in ids],
        }

    return summarize


def sizes(messages: Sequence[BaseMessage], history: Sequence[Turn], budget: Budget, count: Count) -> list[int]:
    """The tokens of each turn as it is shown: a megabyte that is shown by its head and tail is no reason to fold."""
    shower = Shower(messages, "", budget, count)
    shown = [shower.earlier(Turn(heal(turn.items).items)) for turn in history[:-1]]
    shown += [shower.show(Turn(heal(turn.items).items), shower.caps) for turn in history[-1:]]
    return [turn.tokens for turn in shown]


def to_fold(messages: Sequence[BaseMessage], trigger: int, budget: Budget, count: Count) -> list[Turn]:
    """The oldest turns that are to become summary once the recent ones take more than `trigger`."""
    # A quick look, on the high side: what is shown may be a little longer than what is kept, by marks and placeholders.
    if within(messages, count) * 5 // 4 + 40 * len(messages) <= trigger:
        return []
    history = turns(items_of(messages))
    return history[: due(sizes(messages, history, budget, count), cuts(history), trigger, budget.keep)]


def over_soft(messages: Sequence[BaseMessage], budget: Budget, count: Count) -> bool:
    """Whether to fold after the reply."""
    return bool(to_fold(messages, budget.soft, budget, count))


def over_hard(messages: Sequence[BaseMessage], budget: Budget, count: Count) -> bool:
    """Whether to fold before the call, on the response path."""
    return bool(to_fold(messages, budget.hard, budget, count))
