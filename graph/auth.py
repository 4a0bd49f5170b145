"""CHANGE ME before you deploy: who a request speaks for. Identity never comes from a request's body.

On this machine (`langgraph dev`) the header `x-customer-id` names the customer (and `x-tenant-id` the tenant), so that
one can play several; `APP_DEV_CUSTOMER` names one for clients that send no header, such as Studio. Anywhere else that
header is refused: replace `authenticate` with your identity provider's check and keep what it returns. What the
authenticated may do is guarded by the engine.
"""

from typing import cast

from langgraph_sdk import Auth

from graph.deps import deps
from trusted_memory import guard, header, refused

auth = Auth()
TENANT = "demo"


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> Auth.types.MinimalUserDict:
    if not deps().settings.local:
        raise refused(401, "No authentication is configured. See graph/auth.py: connect your own.")
    customer = header(headers, "x-customer-id") or deps().settings.dev_customer
    if not customer:
        raise refused(
            401, "Who is speaking? Send the header x-customer-id (local development), or set APP_DEV_CUSTOMER."
        )
    # LangGraph keeps further keys of a user, which this type does not know.
    return cast(
        Auth.types.MinimalUserDict,
        {"identity": customer, "tenant": header(headers, "x-tenant-id") or TENANT, "is_authenticated": True},
    )


guard(auth, lambda: deps().database)
