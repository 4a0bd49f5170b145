"""Judges requests against what was really said. It knows the wire and the recording, and nothing of the assembly."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, convert_to_openai_messages

Wire = Mapping[str, Any]  # a message as it is sent
MARKER = "[reduced from "
SHORTEST_MARKER = "[left out; "
STEPS = "<steps>"


def wire(messages: Iterable[BaseMessage]) -> list[dict[str, Any]]:
    return [dict(message) for message in convert_to_openai_messages(list(messages))]


def text(message: Wire) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(str(block.get("text", "")) for block in content)


def tokens(messages: Iterable[Wire]) -> int:
    """A count of our own: four bytes a token of what a chat template shows, and eight for each message and call."""
    total = 0
    for message in messages:
        calls = [call["function"] for call in message.get("tool_calls") or []]
        shown = [text(message), *(call["name"] + call["arguments"] for call in calls)]
        total += 8 * (1 + len(calls)) + math.ceil(sum(len(part.encode()) for part in shown) / 4)
    return total


def pairs_are_valid(messages: Sequence[Wire]) -> bool:
    """One system message, first; each call answered directly behind it, once, in order; no other results."""
    owed: list[str] = []
    for at, message in enumerate(messages):
        if (message["role"] == "system") != (at == 0):
            return False
        if message["role"] == "tool":
            if not owed or message["tool_call_id"] != owed.pop(0):
                return False
            continue
        if owed:
            return False
        owed = [call["id"] for call in message.get("tool_calls") or []]
    return not owed


def has_current_turn(messages: Sequence[Wire], current: Sequence[Wire]) -> bool:
    """Whether the request ends with the turn under way, each message whole or visibly reduced.

    Of a long turn the first steps may stand as notes; then all that is still shown must be its end.
    """
    customer, *steps = current
    heads = [message for message in messages if message["role"] == "user"]
    shown = messages[len(messages) - len(steps) :] if steps else []
    if any(STEPS in text(message) for message in heads):
        last = max(at for at, message in enumerate(messages) if message["role"] == "user")
        shown = messages[last + 1 :]
        steps = steps[len(steps) - len(shown) :]
    return (
        any(_stands_for(head, customer) for head in heads)
        and len(shown) == len(steps)
        and all(a["role"] == b["role"] and _stands_for(a, b) for a, b in zip(shown, steps, strict=True))
    )


def _stands_for(shown: Wire, said: Wire) -> bool:
    names = [call["function"]["name"] for call in said.get("tool_calls") or []]
    if names != [call["function"]["name"] for call in shown.get("tool_calls") or []]:
        return False
    whole, part = text(said).strip(), text(shown)
    if whole in part or SHORTEST_MARKER in part:
        return True
    return MARKER in part and whole[:15] in part


def was_seen(said: str, shown: str) -> bool:
    """Whether all of a text stood somewhere in what was shown, in pieces of 40 characters or more."""
    at = 0
    while at < len(said):
        low, high = 0, len(said) - at
        while low < high:
            middle = (low + high + 1) // 2
            if said[at : at + middle] in shown:
                low = middle
            else:
                high = middle - 1
        if low < min(40, len(said) - at):
            return False
        at += low
    return True
