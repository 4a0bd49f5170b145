"""What a host runs: the two promises and the graphs over them, made once for a process, opened at first use."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.postgres.aio import AsyncPostgresStore

from trusted_memory.facts.words import Subject
from trusted_memory.service.conversation import Conversation
from trusted_memory.service.memory import Memory
from trusted_memory.storage.ownership import OwnConversations


@dataclass
class Application:
    """One application on the engine.

    `assistant` and `reader` make its graphs, uncompiled; `caller` makes the context that says who speaks in plain
    Python. `instructions` and `tools` are what every request has. `migrate` brings the database at an address up to
    date and names what it applied; `close` ends what was opened. `database_is`, `model_is` and `notice` are for people.
    """

    memory: Memory
    conversation: Conversation
    assistant: Callable[[], StateGraph[Any, Any, Any, Any]]
    reader: Callable[[], StateGraph[Any, Any, Any, Any]]
    caller: Callable[[Subject], Any]
    instructions: Callable[[], str]
    tools: Callable[[], Sequence[BaseTool]]
    migrate: Callable[[str], Awaitable[list[str]]]
    close: Callable[[], None] = lambda: None
    database_is: str = "configured"
    model_is: str = "configured"
    notice: str = ""
    checkpoints_kept: int = 10
    lag_warning_seconds: float = 30.0

    @cached_property
    def reading(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """The background graph, compiled once."""
        return self.reader().compile(name="memory")

    async def closed(self) -> None:
        """End what was opened, in the event loop that used it."""
        await self.memory.database.close()
        await asyncio.to_thread(self.close)

    @asynccontextmanager
    async def checkpointer(self) -> AsyncIterator[OwnConversations]:
        """Checkpoints in PostgreSQL, keyed by thread_id. For langgraph.json."""
        yield OwnConversations(self.memory.database, await self.memory.database.pool())

    @asynccontextmanager
    async def store(self) -> AsyncIterator[AsyncPostgresStore]:
        """LangGraph's store in the same PostgreSQL; active facts are read there. For langgraph.json."""
        pool: Any = await self.memory.database.pool()
        yield AsyncPostgresStore(pool)

    @asynccontextmanager
    async def opened(self, *, background: bool = True) -> AsyncIterator[CompiledStateGraph[Any, Any, Any, Any]]:
        """The assistant in plain Python: checkpointed in PostgreSQL, with the background worker inside."""
        from trusted_memory.hosts.worker import keep_working  # noqa: PLC0415 - the worker works for applications

        async with self.checkpointer() as saver, self.store() as store:
            compiled = self.assistant().compile(checkpointer=saver, store=store, name="assistant")
            task = asyncio.create_task(keep_working(self)) if background else None
            try:
                yield compiled
            finally:
                if task:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
