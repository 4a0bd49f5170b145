"""A conversation as tests have it, with any application: say something, see the answer and what was kept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from trusted_memory.facts.words import Subject
from trusted_memory.hosts.application import Application
from trusted_memory.hosts.worker import worker
from trusted_memory.storage import transcript
from trusted_memory.storage.pool import subject_id
from trusted_memory.storage.recall import ledger, recall

THREAD = "5f0c1e0a-0000-4000-8000-00000000000a"
OTHER = "5f0c1e0a-0000-4000-8000-00000000000b"
THIRD = "5f0c1e0a-0000-4000-8000-00000000000c"


def subject(user: str) -> Subject:
    return Subject("demo", user)


def config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


@dataclass
class Turn:
    """What came of one turn."""

    reply: str = ""
    streamed: str = ""
    report: dict[str, Any] = field(default_factory=dict)
    messages: list[BaseMessage] = field(default_factory=list)

    @property
    def written(self) -> list[tuple[str, str, str | None]]:
        return [(n["outcome"], n["attribute"], n["after"]) for n in self.report.get("written", [])]


@dataclass
class Talk:
    """The assistant in plain Python; background reading happens when a test calls `drain`."""

    application: Application
    assistant: Any

    @classmethod
    @asynccontextmanager
    async def over(cls, application: Application) -> AsyncIterator[Self]:
        """With an application that nothing else is done to."""
        async with application.opened(background=False) as assistant:
            yield cls(application, assistant)

    async def say(self, content: Any, *, user: str = "alice", thread: str = THREAD, id: str | None = None) -> Turn:
        return await self.send([HumanMessage(content, id=id)], user=user, thread=thread)

    async def send(self, messages: list[Any] | None, *, user: str = "alice", thread: str = THREAD) -> Turn:
        turn = Turn()
        async for mode, part in self.assistant.astream(
            None if messages is None else {"messages": messages},
            config(thread),
            context=self.application.caller(subject(user)),
            stream_mode=["messages", "custom", "values"],
        ):
            if mode == "messages" and isinstance(part[0], AIMessageChunk):
                turn.streamed += part[0].text
            elif mode == "custom" and "report" in part:
                turn.report = part["report"]
            elif mode == "values":
                turn.messages = part["messages"]
        last = turn.messages[-1] if turn.messages else None
        turn.reply = last.text if isinstance(last, AIMessage) else ""
        return turn

    async def drain(self) -> None:
        """Background reading, until nothing is left that can be done now."""
        await worker(self.application, wait=False)

    async def facts(self, user: str = "alice") -> dict[str, Any]:
        async with self.application.memory.database.connection() as connection:
            held = await recall(connection, subject(user), self.application.memory.schema, datetime.now(UTC))
        return {slot: fact["value"] for slot, fact in held.facts.items()}

    async def fact(self, slot: str, user: str = "alice") -> dict[str, Any]:
        async with self.application.memory.database.connection() as connection:
            held = await recall(connection, subject(user), self.application.memory.schema, datetime.now(UTC))
        return held.facts[slot]

    async def ledger(self, user: str = "alice") -> list[dict[str, Any]]:
        """Decisions, oldest first."""
        async with self.application.memory.database.connection() as connection:
            return (await ledger(connection, subject(user)))[::-1]

    async def transcript(self, user: str = "alice", thread: str = THREAD) -> list[tuple[str, str]]:
        async with self.application.memory.database.connection() as connection:
            return [(row["kind"], row["text"]) for row in await transcript.thread(connection, subject(user), thread)]

    async def history(self, thread: str = THREAD) -> list[tuple[str, str]]:
        state = await self.assistant.aget_state(config(thread))
        return [(m.type, str(m.text)) for m in state.values.get("messages", [])]

    async def rows(self, query: str, user: str = "alice") -> list[dict[str, Any]]:
        """A query with `%(subject)s` in it."""
        async with self.application.memory.database.connection() as connection:
            cursor = await connection.execute(query, {"subject": subject_id(subject(user))})
            return await cursor.fetchall() if cursor.description else []


async def decided(talk: Talk, user: str = "alice") -> list[str]:
    """What was decided, but for readings that were repeated and changed nothing."""
    return [row["outcome"] for row in await talk.ledger(user) if row["outcome"] != "noop"]
