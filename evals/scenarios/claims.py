"""What the scripted extractor makes of the retailer's messages: the truth of customers, and bait from the assistant."""

from collections.abc import Iterable
from typing import Any

from evals.scenarios.events import Customer, Said, Told
from evals.served import Claims

DISBELIEVED = ("not_accepted", "quote_not_found")  # why a claim from the assistant's words comes to nothing


def claimed(customers: Iterable[Customer]) -> tuple[dict[str, Claims], dict[str, Claims]]:
    """By exact text: what customers' messages claim, and what the assistant's contradictions would."""
    knows: dict[str, Claims] = {}
    bait: dict[str, Claims] = {}
    for customer in customers:
        for arrival in customer.arrivals:
            if isinstance(arrival, Told):
                bait[arrival.text] = (_claim(arrival.attribute, arrival.value, arrival.text, "state"),)
            elif arrival.attribute:
                knows[arrival.text] = claims_of(arrival)
    return knows, bait


def claims_of(said: Said) -> Claims:
    if not said.attribute:
        return ()
    intent = "retract" if said.retracts else "correct" if said.kind == "correction" else "state"
    return (_claim(said.attribute, said.value, said.text, intent),)


def _claim(attribute: str, value: str | None, quote: str, intent: str) -> dict[str, Any]:
    return {"attribute": attribute, "value": value, "quote": quote, "intent": intent}
