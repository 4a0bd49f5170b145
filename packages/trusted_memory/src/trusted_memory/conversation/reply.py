"""What is made of a model's reply, and what it is told about memory: pure, but for the messages' framework."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage

from trusted_memory.conversation.messages import keepable, spoken
from trusted_memory.facts.words import FactRecord

EMPTY = "I received an empty message. What can I do for you?"
NO_ANSWER = "I'm sorry, I have no answer to that. Could you put it differently?"
UNFINISHED = "I'm sorry, I could not finish that. Could you ask for less at a time?"


def whole(reply: AIMessage) -> AIMessage:
    """The reply as it can be used. The rest of a call that max_tokens cut off may have been half an address."""
    reply = keepable(reply)
    cut = reply.response_metadata.get("finish_reason") == "length"
    if (reply.tool_calls and not cut) or (spoken(reply) and not reply.tool_calls):
        return named(reply)
    said = reply.text if reply.text.strip() else UNFINISHED if cut else NO_ANSWER
    # A new message with an id of its own: what was streamed under the old one is not streamed again.
    return named(AIMessage(said, usage_metadata=reply.usage_metadata, response_metadata=reply.response_metadata))


def named(reply: AIMessage) -> AIMessage:
    reply.id = reply.id or f"reply-{uuid4()}"
    return reply


def memory_lines(facts: Mapping[str, Mapping[str, Any]], conflicts: Mapping[str, FactRecord]) -> str:
    """Facts with their provenance, one a line; values in conflict are named as such and not to be used."""
    lines = []
    for fact in facts.values():
        said = fact["quotes"][-1] if fact["quotes"] else None
        words = f' "{said["quote"]}"' if said and said["quote"] else ""
        origin = f" (said by the {said['origin']} on {said['said_at'][:10]}:{words})" if said else ""
        lines.append(one_line(f"- {fact['attribute']}: {fact['value']}{origin}"))
    lines += [
        one_line(f"- {r.attribute}: in conflict, ask which is right: {' / '.join(r.values)}")
        for r in conflicts.values()
    ]
    return "\n".join(lines)


def one_line(text: str) -> str:
    """A line is one fact: a break in a customer's words would begin another, with whatever they say of its origin."""
    return " ".join(text.split())


def just_now_lines(turn: Mapping[str, Any]) -> str:
    """What this turn did to memory, so that the reply can say the truth about it."""
    words = {
        "insert": "stored",
        "merge": "confirmed",
        "replace": "replaced",
        "retract": "retracted",
        "conflict": "conflict",
    }
    lines = []
    for note in turn.get("written", []):
        if note["outcome"] in words:
            before = f" (was {note['before']})" if note["outcome"] == "replace" and note["before"] else ""
            value = f"{note['after'] or note['before'] or ''}{before}"
            lines.append(one_line(f"- {words[note['outcome']]} {note['attribute']}: {value}"))
        elif note["outcome"] == "reject":
            reason = note["reason"].replace("_", " ")
            lines.append(one_line(f"- not stored {note['attribute']}: {note['value']} ({reason})"))
    if turn.get("telling") and set(turn.get("new", [])) - set(turn.get("read", [])):
        lines.append("- pending: the newest message is noted; what it says about the customer is not stored yet")
    return "\n".join(lines)
