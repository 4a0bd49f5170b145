"""Whose conversation a thread is. Checked before anything of it is loaded or shown (F6)."""

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

from trusted_memory.facts.words import Subject, storable
from trusted_memory.identity import identify
from trusted_memory.storage.checkpointer import Checkpointer
from trusted_memory.storage.pool import Connection, Database, Pool, subject_id
from trusted_memory.storage.sql import QUERIES


class NotYourConversation(PermissionError):
    """The thread belongs to another customer."""


async def owner(connection: Connection, thread: str) -> str | None:
    """The subject id of the customer whose conversation this is."""
    row = await (await connection.execute(QUERIES["owner"], {"thread": thread})).fetchone()
    return str(row["subject"]) if row else None


async def claim(connection: Connection, subject: Subject, thread: str) -> None:
    """The first customer to use a thread owns it; raises NotYourConversation for anybody else."""
    if not thread or storable(thread) != thread:
        raise ValueError(f"thread_id {thread!r}: it must not be empty, nor hold NUL or half of a surrogate pair")
    sid = subject_id(subject)
    found = await owner(connection, thread)
    if found is None:
        await connection.execute(QUERIES["claim"], {"thread": thread, "subject": sid})
        found = await owner(connection, thread)
    if found != sid:
        raise NotYourConversation(
            f"the conversation {thread!r} belongs to another customer: use a thread_id of this customer's own"
        )


class OwnConversations(Checkpointer):
    """Checkpoints that a run sees only if they are its customer's own.

    A run streams its state before the first node, so a check in a node would come too late. Reading without a run
    (`aget_state`) is the application's own doing; on a server its authentication guards that.
    """

    def __init__(self, database: Database, pool: Pool) -> None:
        super().__init__(pool)
        self.database = database

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        runtime = config["configurable"].get("__pregel_runtime")
        if runtime is not None:
            async with self.database.connection() as connection:
                await claim(connection, identify(runtime), str(config["configurable"]["thread_id"]))
        return await super().aget_tuple(config)
