"""Conversation: the verbs of the second promise. Whatever is sent was counted, whatever is removed was folded."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig

from trusted_memory.conversation.budget import Budget
from trusted_memory.conversation.messages import remembered, spoken
from trusted_memory.conversation.reply import just_now_lines, memory_lines, named, whole
from trusted_memory.conversation.request import Request, assemble, check_fixed
from trusted_memory.conversation.summarize import make_summarize, over_hard, over_soft
from trusted_memory.facts.words import Subject
from trusted_memory.identity import thread_of
from trusted_memory.models.counting import Calibration, count_tokens
from trusted_memory.models.errors import as_ours
from trusted_memory.prompting import Prompts
from trusted_memory.storage import transcript
from trusted_memory.storage.pool import Database, transaction
from trusted_memory.storage.recall import Recalled


@dataclass
class Conversation:
    """Requests within a token budget over a history that loses nothing. Tokens are those of our counter, on the high
    side, corrected by what the model reports. `chat` and `summarizer` give the models, made off the event loop.
    """

    database: Database
    prompts: Prompts
    budget: Budget
    key: Callable[[], bytes]
    chat: Callable[[], Awaitable[BaseChatModel]]
    summarizer: Callable[[], Awaitable[BaseChatModel]]
    summary_seconds: float = 60.0  # all tries of one summary together
    calibration: Calibration = field(default_factory=Calibration)

    def count(self, messages: Sequence[BaseMessage], tools: Sequence[Any]) -> int:
        """Tokens of a request, tool schemas included, estimated high."""
        return self.calibration.apply(count_tokens(messages, tools))

    def check(self, instructions: str, tools: Sequence[Any]) -> int:
        """The tokens of what every request has; raises RequestTooLarge at start if that doesn't fit its share."""
        return check_fixed(instructions, tools, self.budget, self.count)

    def over_soft(self, messages: Sequence[BaseMessage]) -> bool:
        """Whether old turns are to be folded after the reply."""
        return over_soft(messages, self.budget, self.count)

    def over_hard(self, messages: Sequence[BaseMessage]) -> bool:
        """Whether they are to be folded before the call, on the response path."""
        return over_hard(messages, self.budget, self.count)

    def request(
        self, instructions: str, state: Mapping[str, Any], known: Recalled, *, tools: Sequence[Any] = ()
    ) -> Request:
        """The request for this state, proven to fit; raises RequestTooLarge, or NoCustomerMessage."""
        summary, pinned = remembered(state)
        return assemble(
            instructions,
            {
                "memory": memory_lines(known.facts, known.conflicts),
                "just_now": just_now_lines(state.get("turn") or {}),
            },
            state["messages"],
            summary=summary,
            pinned=pinned,
            tools=tools,
            budget=self.budget,
            count=self.count,
        )

    async def ask(self, request: Request, config: RunnableConfig, *, tools: Sequence[Any] = ()) -> AIMessage:
        """The model's reply, streamed to whoever watches the run, and as it can be used: see `whole`."""
        model = await self.chat()
        with as_ours():
            answer = await (model.bind_tools(list(tools)) if tools else model).ainvoke(request.messages, config)
        reply = whole(answer)
        self.calibration.learn(count_tokens(request.messages, tools), reply.usage_metadata)
        return reply

    async def record(self, subject: Subject, thread: str, reply: AIMessage) -> AIMessage:
        """What isn't in the transcript is never shown to the model again, so a reply is recorded where it is made."""
        reply = named(reply)
        said = transcript.Message(str(reply.id), thread, "assistant", "assistant", datetime.now(UTC), spoken(reply))
        async with self.database.connection() as connection, transaction(connection):
            await transcript.write(connection, subject, [said], self.key())
        return reply

    async def fold(
        self, subject: Subject, config: RunnableConfig, state: Mapping[str, Any]
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Old turns into the summary: the state update (empty if nothing was folded), and what became of each try.

        Whatever goes wrong, nothing is changed or lost, and the next fold tries again.
        """
        folds: list[dict[str, Any]] = []

        async def in_transcript(config: RunnableConfig, words: Sequence[str]) -> Collection[str]:
            async with self.database.connection() as connection:
                return await transcript.holds(connection, subject, thread_of(config), words)

        summarize = make_summarize(
            await self.summarizer(),
            budget=self.budget,
            count=self.count,
            prompt=lambda words: self.prompts.render("summarize", words=str(words)),
            search=in_transcript,
            report=folds.append,
            timeout=self.summary_seconds,
        )
        return await summarize(state, config), folds
