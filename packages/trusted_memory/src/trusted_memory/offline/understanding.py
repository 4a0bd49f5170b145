"""What the offline demo model understands: claims in the numbered messages of an extraction request.

A message is cut into clauses. A clause counts unless it asks, supposes, quotes, or tells of the past, of one occasion
or of somebody else. In a clause that counts, an attribute is stated where its cue and one of its values meet.
"""

import re
from collections.abc import Iterator
from typing import Any

from trusted_memory.offline.patterns import (
    ALLERGIC,
    ASKS,
    CLAUSE,
    CORRECTS,
    FILLER,
    FORGET,
    LIST_AND,
    LIST_ENDS,
    NEGATES,
    NOT_ALLERGENS,
    ONCE,
    OTHERS,
    PAST,
    PATTERNS,
    POLITE,
    PROPOSALS,
    QUOTED,
    SENTENCE,
    SUPPOSES,
    YES,
)

MESSAGE = re.compile(r"^\[(\d+)\] (\w+) \([^)\n]*\): ?", re.MULTILINE)
READ, LONGEST, SHORT = 20_000, 600, 7  # characters read of a message, of a clause; words of a short answer

Values = tuple[list[str], list[str]]  # those that are meant, and those that are said not to be


def claims(prompt: str) -> list[dict[str, Any]]:
    """The claims in the customer's messages of an extraction request, as the `claims` schema asks for them."""
    parts = MESSAGE.split(prompt)[1:]
    # What follows a closing delimiter is the prompt's, not the last speaker's.
    messages = [
        (int(number), role, text.partition("\n</")[0].strip())
        for number, role, text in zip(*[iter(parts)] * 3, strict=True)
    ]
    found: list[dict[str, Any]] = []
    for place, (number, role, text) in enumerate(messages):
        if role == "customer":
            before = messages[place - 1] if place else (0, "", "")
            asked, offered = (before[2], before[0]) if before[1] == "assistant" else ("", 0)
            found += [_CLAIM | claim | {"message": number} for claim in _customer(text[:READ], asked, offered)]
    return found


def understands(text: str, asked: str = "") -> bool:
    """Whether a customer's words, after these of the assistant, say anything that the demo model can read."""
    return any(True for _ in _customer(text[:READ], asked, 0))


_CLAIM: dict[str, Any] = {"about": "customer", "valid_from": None, "valid_until": None, "accepts": None}


def _customer(text: str, asked: str, offered: int) -> Iterator[dict[str, Any]]:
    question = asked[: asked.rfind("?") + 1].rpartition(". ")[2]
    stated = set()
    for clause in _clauses(text):
        for attribute, value, intent in _read(clause, question):
            stated.add(attribute)
            yield {"attribute": attribute, "value": value, "quote": clause, "intent": intent}
    offer = _offer(asked) if YES.match(text) else None
    if offer and offer[0] not in stated:  # "yes, but mornings please" accepts nothing
        words = text.splitlines()[0]
        yield {"attribute": offer[0], "value": offer[1], "quote": words, "intent": "correct", "accepts": offered}


def _clauses(text: str) -> Iterator[str]:
    """The clauses that count, exactly as they stand in the message."""
    for sentence in SENTENCE.split(QUOTED.sub("\0", text)):
        if SUPPOSES.search(sentence):
            continue
        for part in CLAUSE.split(sentence):
            clause = part.strip(" ,\n")[:LONGEST]
            asks = ASKS.search(clause) and not POLITE.search(clause)
            past = PAST.search(clause) and not FORGET.search(clause)
            if not ("\0" in clause or asks or past or OTHERS.search(clause) or ONCE.search(clause)):
                yield clause


def _read(clause: str, question: str) -> Iterator[tuple[str, str | None, str]]:
    forget, intent = FORGET.search(clause), "correct" if CORRECTS.search(clause) else "state"
    meant, negated = _allergens(clause)
    yield from (("allergy", value, "retract") for value in (*negated, *(meant if forget else ())))
    yield from (("allergy", value, intent) for value in meant if not forget)
    silent = not (meant or negated or forget)
    for attribute, pattern in PATTERNS.items():
        meant, negated = _values(pattern.states, clause) if pattern.cue.search(clause) else ([], [])
        silent = silent and not meant
        if meant:
            yield attribute, meant[-1], intent
        elif forget and pattern.title.search(clause):
            yield attribute, negated[-1] if negated else None, "retract"
    if silent and len(clause.split()) <= SHORT and not YES.match(clause):
        for attribute, pattern in PATTERNS.items():
            if pattern.title.search(question) or (pattern.unmistakable and intent == "correct"):
                yield from ((attribute, value, intent) for value in _values(pattern.bare, clause)[0][-1:])


def _values(pattern: re.Pattern[str], clause: str) -> Values:
    values: Values = ([], [])
    for match in pattern.finditer(clause):
        group = match.lastindex or 0
        negated = NEGATES.search(clause[: match.start(group)])
        values[1 if negated else 0].append(match[group].rstrip("."))
    return values


def _allergens(clause: str) -> Values:
    values: Values = ([], [])
    if match := ALLERGIC.search(clause):
        denied = re.search(r"(?:\b(?:not|no|without)|n't)\s+(?:\w+\s+)?$", clause[: match.start()], re.IGNORECASE)
        for part in LIST_AND.split(LIST_ENDS.sub("", match[match.lastindex or 0])):
            value = FILLER.sub("", part.strip()).strip(" .,!?")
            if value and len(value.split()) <= 3 and not NOT_ALLERGENS.fullmatch(value):
                values[1 if denied or part.lower().startswith("not ") else 0].append(value)
    return values


def _offer(text: str) -> tuple[str, str] | None:
    """The attribute and value that an assistant's message offers to remember."""
    for proposal in PROPOSALS:
        if match := proposal.search(text):
            for attribute in (*PATTERNS, "allergy"):
                if attribute.replace("_", " ") in match["what"].casefold():
                    return attribute, match["value"].strip()
    return None
