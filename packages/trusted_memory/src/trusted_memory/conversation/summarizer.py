"""langmem's SummarizationNode, held to what we choose: it sees exactly what we fold, and its word is checked."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langgraph.constants import TAG_NOSTREAM
from langmem.short_term import RunningSummary, SummarizationNode

from trusted_memory.conversation.blocks import block, summary_block
from trusted_memory.conversation.budget import Budget, RequestTooLarge
from trusted_memory.conversation.fold import Unusable, readable, unusable
from trusted_memory.conversation.messages import text_of
from trusted_memory.conversation.tokens import Count, counting
from trusted_memory.conversation.view import alternating

_SMALLEST_ROOM = 200  # tokens; with less conversation than this in a request, folding takes more than it gives
# What a model does better when it is asked for less. After a refusal or a failure the next turn tries again.
_WORTH_A_SHORTER_TRY = ("truncated", "oversized", "repetitive")
_ATTEMPTS = 3


class SummaryUnusable(Exception):
    """No summary came back that may replace what it covers; nothing was changed."""


class Summarizer:
    """Extends a summary by a piece of the conversation."""

    def __init__(
        self, model: BaseChatModel, budget: Budget, count: Count, prompt: Callable[[int], str], timeout: float
    ) -> None:
        self._count = count
        self._tokens = counting(count)
        self._limit = budget.request
        self._summary = budget.summary
        self._bound = budget.summary - budget.pinned
        # langmem's max_summary_tokens limits nothing; only the model's own max_tokens does.
        self._model = model.bind(max_tokens=self._bound).with_config(tags=[TAG_NOSTREAM])
        self._prompt = prompt
        # A word is 1.3 to 2 tokens by our counter, which is on the high side.
        self._words = self._bound // 2
        self._timeout = timeout
        fixed = count(self._request(self._words, "", "."), ())
        room = self._limit - fixed - budget.summary
        if room < _SMALLEST_ROOM:
            needed = fixed + budget.summary + _SMALLEST_ROOM
            raise RequestTooLarge("a summary's request", needed, self._limit, "raise the budget's total")
        # For the conversation, in one request. A model asked to make a few hundred words of ten thousand loses much and
        # takes long: what waits after failures is folded in more pieces, not in larger ones.
        self.room = min(room, max(budget.recent, _SMALLEST_ROOM))

    def fits(self, summary: str, transcript: str) -> bool:
        """Whether one request takes both."""
        request = self._count(self._request(self._words, summary, transcript), ())
        return request <= self._limit and self._tokens(transcript) <= self.room

    def _request(self, words: int, summary: str, transcript: str) -> list[BaseMessage]:
        """What langmem sends for these, by the prompts that it is given."""
        data = [HumanMessage(text) for text in (summary_block(summary, []), block("transcript", transcript)) if text]
        return alternating([SystemMessage(self._prompt(words)), *data])

    async def extend(self, summary: str, transcript: str) -> str:
        """The summary that covers both; SummaryUnusable if what comes back can't be trusted with that, or too late."""
        words, why = self._words, None
        try:
            async with asyncio.timeout(self._timeout):
                for _ in range(_ATTEMPTS):
                    text, why = await self._attempt(summary, transcript, words)
                    if why is None:
                        return text
                    if why not in _WORTH_A_SHORTER_TRY:
                        break
                    # As much less as it was too much: a word of an order number or of Chinese takes several tokens.
                    over = self._tokens(text) / self._bound
                    words = int(words / max(1.2, 1.2 * over))
        except TimeoutError:
            before = f"; the last one was {why}" if why else ""
            raise SummaryUnusable(f"no summary in {self._timeout:g} s (APP_SUMMARY_TIMEOUT){before}") from None
        then = "; APP_SUMMARY_MODEL may name one that keeps to a length" if why in _WORTH_A_SHORTER_TRY else ""
        raise SummaryUnusable(f"the summary is {why}{then}")

    async def _attempt(self, summary: str, transcript: str, words: int) -> tuple[str, Unusable | None]:
        covered = HumanMessage(block("transcript", transcript), id="covered")
        replies: list[AIMessage] = []

        async def ask(messages: list[BaseMessage]) -> AIMessage:
            replies.append(await self._ask(messages, covered))
            return replies[-1]

        result = await self._node(ask, words).ainvoke(
            {"messages": [covered], "context": {"running_summary": _running(summary)}}
        )
        if len(replies) != 1 or covered.id not in result["context"]["running_summary"].summarized_message_ids:
            raise SummaryUnusable("langmem did not summarize what it was given")
        text = readable(text_of(replies[0]))
        return text, unusable(text, self._finish(replies[0]), self._fits)

    def _node(self, ask: Callable[[list[BaseMessage]], Any], words: int) -> Any:
        """A fresh node each time: what to fold is our choice, so its own triggers are set to take what they get."""
        instructions = SystemMessage(self._prompt(words))
        return SummarizationNode(
            model=RunnableLambda(ask),
            max_tokens=self._limit,
            max_tokens_before_summary=0,
            max_summary_tokens=self._summary,
            token_counter=lambda messages: self._count(list(messages), ()),
            initial_summary_prompt=ChatPromptTemplate.from_messages([instructions, ("placeholder", "{messages}")]),
            existing_summary_prompt=ChatPromptTemplate.from_messages(
                [instructions, ("user", "{existing_summary}"), ("placeholder", "{messages}")]
            ),
        )

    async def _ask(self, messages: Sequence[BaseMessage], covered: HumanMessage) -> AIMessage:
        """The one place where a summary's request leaves: it fits, and it holds all that is to be covered."""
        request = alternating(messages)
        needed = self._count(request, ())
        if needed > self._limit:
            raise RequestTooLarge("a summary's request", needed, self._limit, "nothing was folded")
        if not any(text_of(covered) in text_of(message) for message in request):
            raise SummaryUnusable("langmem did not show the summarizer all that it was given")
        reply = await self._model.ainvoke(request)
        if not isinstance(reply, AIMessage):
            raise SummaryUnusable(f"the model answered with {type(reply).__name__}")
        return reply

    def _finish(self, reply: AIMessage) -> str:
        """Why the model stopped, as far as it says; a reply as long as allowed was cut, whatever it says."""
        if reply.additional_kwargs.get("refusal"):
            return "refusal"
        if reply.usage_metadata and reply.usage_metadata["output_tokens"] >= self._bound:
            return "length"
        told = reply.response_metadata
        return str(told.get("finish_reason") or told.get("stop_reason") or "")

    def _fits(self, text: str) -> bool:
        return self._tokens(summary_block(text, [])) <= self._bound


def _running(summary: str) -> RunningSummary | None:
    """langmem's own form of our summary, made for one call: none of it is ever kept in state."""
    if not summary:
        return None
    shown = summary_block(summary, [])
    return RunningSummary(summary=shown, summarized_message_ids=set(), last_summarized_message_id=None)
