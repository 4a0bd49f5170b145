"""What hosts load: the graphs, LangGraph's checkpointer and store on our PostgreSQL, and a plain Python entry."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.store.postgres.aio import AsyncPostgresStore

from graph.background import keep_working
from graph.context import Caller, Context
from graph.core.words import Subject
from graph.deps import Deps
from graph.deps import deps as shared
from graph.graph import assistant
from graph.graph import memory as memory_graph
from graph.settings import Settings
from graph.state import State
from graph.storage.ownership import OwnConversations

__all__ = ["Caller", "Subject", "builder", "checkpointer", "graph", "memory", "open_assistant", "store"]

builder = assistant(shared())  # uncompiled, for embedding in another graph or under another checkpointer
graph = builder.compile(name="assistant")  # hosts bring the checkpointer: theirs, or the one below
memory = memory_graph(shared()).compile(name="memory")


@asynccontextmanager
async def checkpointer() -> AsyncIterator[OwnConversations]:
    """Checkpoints in PostgreSQL, keyed by thread_id. For langgraph.json."""
    yield OwnConversations(shared().database, await shared().database.pool())


@asynccontextmanager
async def store() -> AsyncIterator[AsyncPostgresStore]:
    """LangGraph's store in the same PostgreSQL; active facts are read there. For langgraph.json."""
    pool: Any = await shared().database.pool()
    yield AsyncPostgresStore(pool)


@asynccontextmanager
async def open_assistant(
    settings: Settings | None = None, *, background: bool = True, deps: Deps | None = None
) -> AsyncIterator[CompiledStateGraph[State, Context, Any, Any]]:
    """The assistant in plain Python: checkpointed in PostgreSQL, with the background worker inside.

    Call it with `config={"configurable": {"thread_id": …}}` and `context=Caller(subject=Subject(tenant, user))`.
    """
    own = deps or Deps(settings or Settings())
    try:
        pool: Any = await own.database.pool()
        compiled = assistant(own).compile(
            checkpointer=OwnConversations(own.database, pool), store=AsyncPostgresStore(pool), name="assistant"
        )
        task = asyncio.create_task(keep_working(own)) if background else None
        try:
            yield compiled
        finally:
            if task:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
    finally:
        if deps is None:
            await own.database.close()
            await asyncio.to_thread(own.close)
