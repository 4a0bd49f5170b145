"""Authentication on a LangGraph server: who a request speaks for. Identity never comes from a request's body.

On this machine (`langgraph dev`) the header `x-customer-id` names the customer (and `x-tenant-id` the tenant), so that
one can play several; `APP_DEV_CUSTOMER` names one for clients that send no header, such as Studio. Anywhere else that
header is refused: replace `authenticate` with your identity provider's check and keep what it returns.
"""

from collections.abc import Mapping
from typing import Any, cast

from langgraph_sdk import Auth

from graph.deps import deps

auth = Auth()
TENANT = "demo"


def _header(headers: Mapping[bytes, bytes], name: str) -> str | None:
    value = headers.get(name.encode()) or headers.get(name)  # type: ignore[call-overload]  # hosts differ in the key type
    return value.decode() if isinstance(value, bytes) else value


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> Auth.types.MinimalUserDict:
    if not deps().settings.local:
        raise Auth.exceptions.HTTPException(
            status_code=401, detail="No authentication is configured. See graph/server/auth.py: connect your own."
        )
    customer = _header(headers, "x-customer-id") or deps().settings.dev_customer
    if not customer:
        raise Auth.exceptions.HTTPException(
            status_code=401,
            detail="Who is speaking? Send the header x-customer-id (local development), or set APP_DEV_CUSTOMER.",
        )
    # LangGraph keeps further keys of a user, which this type does not know.
    return cast(
        Auth.types.MinimalUserDict,
        {"identity": customer, "tenant": _header(headers, "x-tenant-id") or TENANT, "is_authenticated": True},
    )


@auth.on
async def own_only(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Auth.types.FilterType:
    """Everything a customer makes is theirs, and they find nothing else."""
    owner = f"{ctx.user['tenant']}/{ctx.user.identity}"
    metadata = value.setdefault("metadata", {})
    if isinstance(metadata, dict):
        metadata["owner"] = owner
    return {"owner": owner}


@auth.on.assistants
async def assistants(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> bool:
    """The graphs are the same for everybody; customers read them and make none."""
    return ctx.action in ("read", "search")


@auth.on.store
async def store(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> bool:
    """Facts are read through the assistant, the commands and the page; not by store key."""
    return False
