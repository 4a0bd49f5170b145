"""What memory holds in the end against what was reckoned."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from evals.scenarios.claims import DISBELIEVED
from evals.scenarios.deliver import subject_of
from evals.scenarios.events import Customer, Said
from evals.scenarios.reckoning import Row, reckon
from graph.deps import Deps
from trusted_memory.storage.pool import subject_id
from trusted_memory.storage.recall import recall

# A message that two readers have read at a time is decided once; the other's reading is a `noop` and changes nothing.
DECISIONS = """
    select subject, source, attribute, outcome, reason, after ->> 'value' as value,
           coalesce((after ->> 'support')::int, 0) as support
    from ledger where outcome <> 'noop' order by id"""
DIFFERENCES_SHOWN = 5


async def judge(deps: Deps, customers: Sequence[Customer]) -> dict[str, Any]:
    """Facts, support and ledger: each exact or not, with the first differences."""
    decided = await _decisions(deps)
    facts, disbelieved, differences = 0, 0, defaultdict[str, list[str]](list)
    for customer in customers:
        subject = subject_of(customer.number)
        async with deps.database.connection() as connection:
            held = await recall(connection, subject, deps.schema, datetime.now(UTC))
        rows = decided.get(subject_id(subject), [])
        own = [row for row in rows if row["reason"] not in DISBELIEVED]
        due = reckon(customer, _order(customer, [row["source"] for row in own]))
        facts += len(held.facts)
        disbelieved += len(rows) - len(own)
        values = {slot: fact["value"] for slot, fact in held.facts.items()}
        support = {slot: fact["support"] for slot, fact in held.facts.items()}
        ledger = [Row(r["source"], r["attribute"], r["outcome"], r["value"], r["support"]) for r in own]
        for what, found, wanted in (
            ("facts", values | dict.fromkeys(held.conflicts, "conflict"), {s: v for s, (v, _) in due.facts.items()}),
            ("support", support, {s: n for s, (_, n) in due.facts.items()}),
            ("ledger", ledger, due.ledger),
        ):
            if found != wanted:
                differences[what].append(f"{subject.user}: {found} instead of {wanted}")
    return {
        "facts": facts,
        "decisions": sum(map(len, decided.values())) - disbelieved,
        "assistant_claims_rejected": disbelieved,
        "facts_exact": not differences["facts"],
        "support_exact": not differences["support"],
        "ledger_exact": not differences["ledger"],
        "differences": {what: said[:DIFFERENCES_SHOWN] for what, said in differences.items() if said},
    }


def _order(customer: Customer, decided: Sequence[str]) -> list[str]:
    """The order in which the messages of this customer were read, if it may differ from that of their arrival.

    A turn reads a correction before what still waits, so each decision is judged by what was read before it. All other
    messages are read as they come: of their order nothing is taken from the result.
    """
    arrived = [m for m in customer.arrivals if isinstance(m, Said) and m.attribute]
    if not any(m.kind == "correction" for m in arrived):
        return []
    return list(dict.fromkeys([*decided, *(m.id for m in arrived)]))


async def _decisions(deps: Deps) -> dict[str, list[dict[str, Any]]]:
    found = defaultdict[str, list[dict[str, Any]]](list)
    async with deps.database.connection() as connection:
        for row in await (await connection.execute(DECISIONS)).fetchall():
            found[row["subject"]].append(row)
    return found
