"""Authentication on a LangGraph server: who a request speaks for. Identity never comes from a request's body.

On this machine (`langgraph dev`) the header `x-customer-id` names the customer (and `x-tenant-id` the tenant), so that
one can play several; `APP_DEV_CUSTOMER` names one for clients that send no header, such as Studio. Anywhere else that
header is refused: replace `authenticate` with your identity provider's check and keep what it returns.
"""

from collections.abc import Mapping
from typing import Any, cast

from langgraph_sdk import Auth

from graph.context import NoIdentity, of_user
from graph.deps import deps
from graph.storage.checkpointer import elsewhere
from graph.storage.ownership import owner
from graph.storage.pool import subject_id

auth = Auth()
TENANT = "demo"


def _header(headers: Mapping[bytes, bytes], name: str) -> str | None:
    value = headers.get(name.encode()) or headers.get(name)  # type: ignore[call-overload]  # hosts differ in the key type
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError as error:  # replaced, two names could be one
        raise _refuse(401, f"The header {name} must be UTF-8.") from error


def _refuse(status: int, detail: str) -> Exception:
    return Auth.exceptions.HTTPException(status_code=status, detail=detail)


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> Auth.types.MinimalUserDict:
    if not deps().settings.local:
        raise _refuse(401, "No authentication is configured. See graph/server/auth.py: connect your own.")
    customer = _header(headers, "x-customer-id") or deps().settings.dev_customer
    if not customer:
        raise _refuse(
            401, "Who is speaking? Send the header x-customer-id (local development), or set APP_DEV_CUSTOMER."
        )
    # LangGraph keeps further keys of a user, which this type does not know.
    return cast(
        Auth.types.MinimalUserDict,
        {"identity": customer, "tenant": _header(headers, "x-tenant-id") or TENANT, "is_authenticated": True},
    )


def _own(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """Marks what is made as the customer's, and filters what is found."""
    try:
        name = subject_id(of_user(ctx.user))  # no id can be part of another (F6)
    except NoIdentity as error:
        raise _refuse(403, f"{error} LangSmith's own sign-in names no customer.") from error
    metadata = value.setdefault("metadata", {})
    if isinstance(metadata, dict):
        metadata["owner"] = name
    return {"owner": name}


@auth.on
async def own_only(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> dict[str, str]:
    """Everything a customer makes is theirs, and they find nothing else."""
    return _own(ctx, value)


@auth.on.threads.create
async def new_thread(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """A host may lose its list of threads (`langgraph dev` after kill -9). Conversations stay their owner's."""
    return await _free(_own(ctx, value), value)


@auth.on.threads.create_run
async def new_run(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """Customers send messages. What steers the graph, or has the server call somebody, is not theirs to send (F10)."""
    sent: dict[str, Any] = value.get("kwargs") or {}
    for name in ("command", "webhook"):
        if sent.get(name):
            raise _refuse(403, f"A run takes messages; `{name}` is not for customers.")
    if any(name.startswith("__pregel") for name in (sent.get("config") or {}).get("configurable") or {}):
        raise _refuse(403, "LangGraph's own settings of a run are not for customers.")
    return await _free(_own(ctx, value), value)


@auth.on.threads.update
async def changed_thread(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """Customers describe their threads and cancel their runs; state is written by the graph alone (F10)."""
    if "metadata" not in value:
        raise _refuse(403, "The state of a conversation is written by the assistant alone: send a message instead.")
    return _own(ctx, value)


@auth.on.threads.delete
async def deleted(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """A run goes with its own thread alone: a host looks at the thread only, and deletes by the run's id (F6)."""
    if run := value.get("run_id"):
        async with deps().database.connection() as connection:
            if await elsewhere(connection, str(run), str(value.get("thread_id"))):
                raise _refuse(404, f"Run {run} not found")
    return _own(ctx, value)


async def _free(mine: dict[str, str], value: Any) -> dict[str, str]:
    async with deps().database.connection() as connection:
        whose = await owner(connection, str(value.get("thread_id")))
    if whose not in (None, mine["owner"]):
        raise _refuse(404, f"Thread {value['thread_id']} not found")
    return mine


@auth.on.crons
async def crons(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> bool:
    """Nobody schedules runs in a customer's name."""
    return False


@auth.on.assistants
async def assistants(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> bool:
    """The graphs are the same for everybody; customers read them and make none."""
    return ctx.action in ("read", "search")


@auth.on.store
async def store(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> bool:
    """Facts are read through the assistant and the commands; not by store key."""
    return False
