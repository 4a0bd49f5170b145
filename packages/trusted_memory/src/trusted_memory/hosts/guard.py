"""What an authenticated customer may do on a LangGraph server: use their own threads, by messages alone (F6, F10)."""

from collections.abc import Callable, Mapping
from typing import Any

from langgraph_sdk import Auth

from trusted_memory.identity import NoIdentity, of_user
from trusted_memory.storage.checkpointer import elsewhere
from trusted_memory.storage.ids import subject_id
from trusted_memory.storage.ownership import owner
from trusted_memory.storage.pool import Database


def refused(status: int, detail: str) -> Exception:
    """What a handler raises, as hosts answer it."""
    return Auth.exceptions.HTTPException(status_code=status, detail=detail)


def header(headers: Mapping[bytes, bytes], name: str) -> str | None:
    """A request's header, in whichever form the host has them; refused if it isn't UTF-8: replaced, two names could
    be one."""
    value = headers.get(name.encode()) or headers.get(name)  # type: ignore[call-overload]  # hosts differ in the key type
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError as error:
        raise refused(401, f"The header {name} must be UTF-8.") from error


def guard(auth: Auth, database: Callable[[], Database]) -> None:
    """Registers the rules of ownership with `auth`, whose `authenticate` is the application's own."""
    rules = _Rules(database)
    auth.on(rules.own_only)
    auth.on.threads.create(rules.new_thread)
    auth.on.threads.create_run(rules.new_run)
    auth.on.threads.update(rules.changed_thread)
    auth.on.threads.delete(rules.deleted)
    auth.on.crons(_nobody)
    auth.on.assistants(_readers)
    auth.on.store(_nobody)


class _Rules:
    def __init__(self, database: Callable[[], Database]) -> None:
        self.database = database

    async def own_only(self, ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
        """Everything a customer makes is theirs, and they find nothing else."""
        return _own(ctx, value)

    async def new_thread(self, ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
        """A host may lose its list of threads (`langgraph dev` after kill -9). Conversations stay their owner's."""
        return await self._free(_own(ctx, value), value)

    async def new_run(self, ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
        """Customers send messages. What steers the graph, or has the server call somebody, is not theirs to send."""
        sent: dict[str, Any] = value.get("kwargs") or {}
        for name in ("command", "webhook"):
            if sent.get(name):
                raise refused(403, f"A run takes messages; `{name}` is not for customers.")
        if any(name.startswith("__pregel") for name in (sent.get("config") or {}).get("configurable") or {}):
            raise refused(403, "LangGraph's own settings of a run are not for customers.")
        return await self._free(_own(ctx, value), value)

    async def changed_thread(self, ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
        """Customers describe their threads and cancel their runs; state is written by the graph alone."""
        if "metadata" not in value:
            raise refused(403, "The state of a conversation is written by the assistant alone: send a message instead.")
        return _own(ctx, value)

    async def deleted(self, ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
        """A run goes with its own thread alone: a host looks at the thread only, and deletes by the run's id."""
        if run := value.get("run_id"):
            async with self.database().connection() as connection:
                if await elsewhere(connection, str(run), str(value.get("thread_id"))):
                    raise refused(404, f"Run {run} not found")
        return _own(ctx, value)

    async def _free(self, mine: dict[str, str], value: Any) -> dict[str, str]:
        async with self.database().connection() as connection:
            whose = await owner(connection, str(value.get("thread_id")))
        if whose not in (None, mine["owner"]):
            raise refused(404, f"Thread {value['thread_id']} not found")
        return mine


def _own(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """Marks what is made as the customer's, and filters what is found."""
    try:
        name = subject_id(of_user(ctx.user))  # no id can be part of another (F6)
    except NoIdentity as error:
        raise refused(403, f"{error} LangSmith's own sign-in names no customer.") from error
    metadata = value.setdefault("metadata", {})
    if isinstance(metadata, dict):
        metadata["owner"] = name
    return {"owner": name}


async def _nobody(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Nobody schedules runs in a customer's name, and facts are read through the assistant, not by store key."""
    return False


async def _readers(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """The graphs are the same for everybody; customers read them and make none."""
    return ctx.action in ("read", "search")
