"""What hosts load: the graphs, checkpointer and store on our PostgreSQL, the routes; and a plain Python entry."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.graph.state import CompiledStateGraph
from langgraph.store.postgres.aio import AsyncPostgresStore

from graph.application import application, ours
from graph.context import Caller, Context
from graph.deps import Deps
from graph.settings import Settings, read_settings
from graph.state import State
from trusted_memory import OwnConversations, Subject, http_app

__all__ = ["Caller", "Subject", "app", "builder", "checkpointer", "graph", "memory", "open_assistant", "store"]

builder = ours().assistant()  # uncompiled, for embedding in another graph or under another checkpointer
graph = builder.compile(name="assistant")  # hosts bring the checkpointer: theirs, or the one below
memory = ours().reading
app = http_app(ours)


@asynccontextmanager
async def checkpointer() -> AsyncIterator[OwnConversations]:
    """Checkpoints in PostgreSQL, keyed by thread_id. For langgraph.json."""
    async with ours().checkpointer() as saver:
        yield saver


@asynccontextmanager
async def store() -> AsyncIterator[AsyncPostgresStore]:
    """LangGraph's store in the same PostgreSQL; active facts are read there. For langgraph.json."""
    async with ours().store() as facts:
        yield facts


@asynccontextmanager
async def open_assistant(
    settings: Settings | None = None, *, background: bool = True, deps: Deps | None = None
) -> AsyncIterator[CompiledStateGraph[State, Context, State, State]]:
    """The assistant in plain Python: checkpointed in PostgreSQL, with the background worker inside.

    Call it with `config={"configurable": {"thread_id": …}}` and `context=Caller(subject=Subject(tenant, user))`.
    """
    opened = application(deps or Deps(settings or read_settings()))
    try:
        async with opened.opened(background=background) as compiled:
            yield compiled
    finally:
        if deps is None:
            await opened.closed()
