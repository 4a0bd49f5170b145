"""CHANGE ME: what the assistant can do. Tools work for `current_subject()`, never for a customer named by the model.

The tables are sample data in the product's own PostgreSQL (migrations/0001_sample_shop.sql); a real
fork calls its systems of record here. A tool returns (text for the model, row for memory): which fields of the row
are facts is declared in domain.TOOL_FACTS.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any, LiteralString

from langchain_core.tools import BaseTool, tool

from trusted_memory import current_subject

Rows = list[dict[str, Any]]
Query = Callable[[LiteralString, dict[str, Any]], Awaitable[Rows]]
Answer = tuple[str, dict[str, Any]]

ACCOUNT: LiteralString = """
    insert into shop_account (tenant, customer) values (%(tenant)s, %(user)s)
    on conflict (tenant, customer) do update set customer = excluded.customer
    returning tier, address, version"""
MOVE: LiteralString = """
    insert into shop_account as a (tenant, customer, address, version) values (%(tenant)s, %(user)s, %(address)s, 2)
    on conflict (tenant, customer) do update set address = excluded.address, version = a.version + 1
    returning tier, address, version"""
ORDERS: LiteralString = """
    select order_id, ordered_on::text, item, status, price::text from shop_order
    where tenant in (%(tenant)s, 'sample') and customer in (%(user)s, 'sample')
      and (order_id || ' ' || item || ' ' || status) ilike '%%' || %(query)s || '%%'
    order by ordered_on desc, order_id"""
ORDER: LiteralString = """
    select order_id, ordered_on::text, item, status, price::text, carrier, note from shop_order
    where tenant in (%(tenant)s, 'sample') and customer in (%(user)s, 'sample') and order_id = upper(%(order_id)s)"""


def make_tools(query: Query) -> list[BaseTool]:
    """The assistant's tools over a function that runs SQL in a transaction of its own."""

    async def run(sql: LiteralString, **values: str) -> Rows:
        subject = current_subject()
        return await query(sql, {"tenant": subject.tenant, "user": subject.user, **values})

    @tool(response_format="content_and_artifact")
    async def look_up_account() -> Answer:
        """The customer's tier and delivery address in the account system."""
        row = (await run(ACCOUNT))[0]
        return json.dumps(row), row

    @tool(response_format="content_and_artifact")
    async def change_address(new_address: str) -> Answer:
        """Change the delivery address in the account system, as the customer asked for."""
        row = (await run(MOVE, address=" ".join(new_address.split())[:300]))[0]
        return json.dumps({"changed": True, **row}), row

    @tool(response_format="content_and_artifact")
    async def search_orders(query: str = "") -> Answer:
        """The customer's orders whose number, item or status contains the text; all of them if it is empty."""
        rows = await run(ORDERS, query=query.strip())
        return json.dumps({"found": len(rows), "orders": rows}), {}

    @tool(response_format="content_and_artifact")
    async def order_detail(order_id: str) -> Answer:
        """Everything about one order, by its number (as A-10442)."""
        rows = await run(ORDER, order_id=order_id.strip())
        return (json.dumps(rows[0]) if rows else f"There is no order {order_id!r} of this customer."), {}

    return [look_up_account, change_address, search_orders, order_detail]
