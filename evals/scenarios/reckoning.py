"""What must be believed in the end, and which decisions lead there: reckoned from the events alone.

Nothing here comes from the product. Of a slot: the last word counts, a withdrawal ends all that was said before it, and
the support is the number of messages in a row that said the last word.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from evals.scenarios.events import Customer, Said

Belief = tuple[str, int] | None  # value and support


@dataclass(frozen=True)
class Row:
    """One decision as the ledger must have it."""

    message: str
    attribute: str
    outcome: str
    value: str | None
    support: int


@dataclass
class Reckoned:
    facts: dict[str, tuple[str, int]] = field(default_factory=dict)  # slot → value and support
    ledger: list[Row] = field(default_factory=list)


def reckon(customer: Customer, read: Sequence[str] = ()) -> Reckoned:
    """Messages count once, in the order in which they first arrive, or were `read`."""
    result = Reckoned()
    heard: dict[str, list[tuple[datetime, str | None]]] = {}
    arrived = {m.id: m for m in customer.arrivals if isinstance(m, Said) and m.attribute}
    for message in sorted(arrived.values(), key=lambda m: read.index(m.id)) if read else arrived.values():
        slot = f"{message.attribute}={message.value}" if message.attribute == "allergy" else message.attribute
        words = heard.setdefault(slot, [])
        before = believed(words)
        words.append((message.at, None if message.retracts else message.value))
        after = believed(words)
        value, support = after or (None, 0)
        result.ledger.append(Row(message.id, message.attribute, _outcome(before, after, message), value, support))
    result.facts = {slot: belief for slot, words in sorted(heard.items()) if (belief := believed(words))}
    return result


def believed(words: Sequence[tuple[datetime, str | None]]) -> Belief:
    """The last word and how many in a row said it."""
    last, support = None, 0
    for _, value in sorted(words, key=lambda word: word[0]):
        last, support = value, support + 1 if value == last else 1
    return None if last is None else (last, support)


def _outcome(before: Belief, after: Belief, message: Said) -> str:
    if after is None:
        return "retract"
    if before is None:
        return "insert"
    if before[0] != after[0]:
        return "replace"
    return "merge" if after[1] > before[1] else "reject"
