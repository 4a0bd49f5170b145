"""LangGraph's Postgres saver, completed: what the server asks of a checkpointer, and retention."""

from collections.abc import Sequence
from typing import Any

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from trusted_memory.storage.pool import Connection, Pool
from trusted_memory.storage.sql import named

CHECKPOINTS = named("checkpoints.sql")


class Checkpointer(AsyncPostgresSaver):
    """Checkpoints keyed by `thread_id`. State is plain, so no class of ours may come out of a checkpoint."""

    def __init__(self, pool: Pool) -> None:
        # The saver's type asks for a plainer connection than the one with dict rows that it needs.
        connections: Any = pool
        super().__init__(connections, serde=JsonPlusSerializer(allowed_msgpack_modules=[]))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Takes runs back, as the server's multitask strategy `rollback` asks for.

        It goes by the run alone: who names one has to know whose it is (see server/auth.py).
        """
        await self._all(
            ("delete_blobs_of_runs", "delete_writes_of_runs", "delete_runs"), runs=[str(r) for r in run_ids]
        )

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """A conversation with all its history under another id, and its owner's like the first."""
        await self._all(
            ("await_erasure", "copy_owner", "copy_blobs", "copy_writes", "copy_checkpoints"),
            source=str(source_thread_id),
            target=str(target_thread_id),
        )

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Also under the name that the server has for deleting all."""
        await super().aprune(thread_ids, strategy="delete" if strategy == "delete_all" else strategy)

    async def _all(self, names: Sequence[str], **params: Any) -> None:
        async with self._cursor() as cursor, cursor.connection.transaction():
            for name in names:
                await cursor.execute(CHECKPOINTS[name], params)


async def elsewhere(connection: Connection, run: str, thread: str) -> bool:
    """Whether another thread than this has checkpoints of the run."""
    rows = await connection.execute(CHECKPOINTS["run_elsewhere"], {"run": run, "thread": thread})
    return await rows.fetchone() is not None


async def retain(connection: Connection, threads: Sequence[str], keep: int) -> int:
    """Keep the newest `keep` checkpoints of each conversation; returns how many older ones went."""
    if not threads:
        return 0
    return (await connection.execute(CHECKPOINTS["retain"], {"threads": list(threads), "keep": keep})).rowcount
