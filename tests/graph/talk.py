"""A conversation as tests have it: say something, see the answer, the report and what was kept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from evals.place import shop_deps
from graph.application import application
from graph.context import Caller
from graph.deploy import open_assistant
from graph.deps import Deps
from graph.settings import Settings
from trusted_memory.facts.words import Subject
from trusted_memory.hosts.worker import worker
from trusted_memory.storage import transcript
from trusted_memory.storage.pool import subject_id
from trusted_memory.storage.recall import ledger, recall

THREAD = "5f0c1e0a-0000-4000-8000-00000000000a"
OTHER = "5f0c1e0a-0000-4000-8000-00000000000b"
THIRD = "5f0c1e0a-0000-4000-8000-00000000000c"


def settings_for(database_uri: str, model_url: str, **changes: Any) -> Settings:
    """Settings that no .env and no variable of the developer's reaches."""
    values: dict[str, Any] = {
        "database_uri": database_uri, "nvidia_base_url": model_url, "chat_model": "scripted", "secret": "for tests",
        "auto_migrate": False, "model_timeout": 10.0, "extraction_timeout": 5.0,
    }  # fmt: skip
    return Settings(_env_file=None, **(values | changes))


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

    deps: Deps
    assistant: Any

    @classmethod
    @asynccontextmanager
    async def open(cls, deps: Deps, *, background: bool = False) -> AsyncIterator[Self]:
        async with open_assistant(deps=deps, background=background) as assistant:
            yield cls(deps, assistant)

    @classmethod
    @asynccontextmanager
    async def with_settings(cls, settings: Settings) -> AsyncIterator[Self]:
        deps = shop_deps(settings)
        try:
            async with cls.open(deps) as talk:
                yield talk
        finally:
            await deps.database.close()

    async def say(self, content: Any, *, user: str = "alice", thread: str = THREAD, id: str | None = None) -> Turn:
        return await self.send([HumanMessage(content, id=id)], user=user, thread=thread)

    async def send(self, messages: list[Any] | None, *, user: str = "alice", thread: str = THREAD) -> Turn:
        turn = Turn()
        async for mode, part in self.assistant.astream(
            None if messages is None else {"messages": messages},
            config(thread),
            context=Caller(subject=subject(user)),
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
        await worker(application(self.deps), wait=False)

    async def facts(self, user: str = "alice") -> dict[str, Any]:
        async with self.deps.database.connection() as connection:
            held = await recall(connection, subject(user), self.deps.memory.schema, datetime.now(UTC))
        return {slot: fact["value"] for slot, fact in held.facts.items()}

    async def fact(self, slot: str, user: str = "alice") -> dict[str, Any]:
        async with self.deps.database.connection() as connection:
            held = await recall(connection, subject(user), self.deps.memory.schema, datetime.now(UTC))
        return held.facts[slot]

    async def ledger(self, user: str = "alice") -> list[dict[str, Any]]:
        """Decisions, oldest first."""
        async with self.deps.database.connection() as connection:
            return (await ledger(connection, subject(user)))[::-1]

    async def transcript(self, user: str = "alice", thread: str = THREAD) -> list[tuple[str, str]]:
        async with self.deps.database.connection() as connection:
            return [(row["kind"], row["text"]) for row in await transcript.thread(connection, subject(user), thread)]

    async def history(self, thread: str = THREAD) -> list[tuple[str, str]]:
        state = await self.assistant.aget_state(config(thread))
        return [(m.type, str(m.text)) for m in state.values.get("messages", [])]

    async def rows(self, query: str, user: str = "alice") -> list[dict[str, Any]]:
        """A query with `%(subject)s` in it."""
        async with self.deps.database.connection() as connection:
            cursor = await connection.execute(query, {"subject": subject_id(subject(user))})
            return await cursor.fetchall() if cursor.description else []


async def decided(talk: Talk, user: str = "alice") -> list[str]:
    """What was decided, but for readings that were repeated and changed nothing."""
    return [row["outcome"] for row in await talk.ledger(user) if row["outcome"] != "noop"]
