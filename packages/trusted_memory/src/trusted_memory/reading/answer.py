"""What the extraction model is asked to answer with, and how its answer is read."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from trusted_memory.facts.schema import Schema
from trusted_memory.models.errors import BadOutput
from trusted_memory.reading.ground import Proposed

MOST = 20  # claims in one answer
FOR_EVER = 9000  # a year that is no end; a database may not even be able to keep it


class Useless(ValueError):
    """An answer that can't be read; `reply` is what there was of it."""

    def __init__(self, message: str, reply: str) -> None:
        super().__init__(message)
        self.reply = reply


def answer_schema(
    schema: Schema,
    customers: Sequence[int] = (),
    assistants: Sequence[int] = (),
    *,
    dated: bool = True,
    most: int = MOST,
) -> dict[str, Any]:
    """JSON schema of the answer. Only customer messages can be named as a source, where the server enforces it.

    What is usually absent is not required, and dates are offered only where the messages speak of time: asked for
    them, a small model makes some up, at five seconds a claim.
    """
    properties: dict[str, Any] = {
        "message": {"type": "integer", **({"enum": list(customers)} if customers else {})},
        "quote": {"type": "string", "maxLength": 240},
        "value": {"type": ["string", "null"], "maxLength": 120},
        "attribute": {"type": "string", "enum": list(schema)},
        "about": {"type": "string", "enum": ["customer", "other"]},
        "intent": {"type": "string", "enum": ["state", "correct", "retract"]},
    }
    if dated:
        properties |= {name: {"type": ["string", "null"]} for name in ("valid_from", "valid_until")}
    if assistants:
        properties["accepts"] = {"type": ["integer", "null"], "enum": [*assistants, None]}
    claim = {
        "type": "object",
        "properties": properties,
        "required": ["message", "quote", "value", "attribute", "about", "intent"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"claims": {"type": "array", "items": claim, "maxItems": most}},
        "required": ["claims"],
        "additionalProperties": False,
    }


def read_answer(reply: Any) -> list[tuple[int, Proposed]]:
    """The claims of an answer, with the number of the message that each names. Raises Useless."""
    shown = reply if isinstance(reply, str) else json.dumps(reply, default=str)
    if not isinstance(reply, Mapping) or not isinstance(reply.get("claims"), list):
        raise Useless('it is not an object with a list "claims"', shown)
    try:
        return [_proposed(claim) for claim in reply["claims"]]
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise Useless(f"a claim is incomplete or of the wrong type ({error!r})", shown) from error


def useless(error: ValueError | BadOutput) -> Useless:
    """What a model call raised because of its answer."""
    return Useless(str(error), error.text if isinstance(error, BadOutput) else "")


def _proposed(claim: Mapping[str, Any]) -> tuple[int, Proposed]:
    value = claim["value"]
    intent = claim.get("intent", "state")
    return int(claim.get("message", 0)), Proposed(
        attribute=str(claim["attribute"]),
        value=None if value is None else str(value),
        quote=str(claim["quote"]),
        intent=intent if intent in ("state", "correct", "retract") else "state",
        about_customer=claim.get("about", "customer") == "customer",
        valid_from=_moment(claim.get("valid_from")),
        valid_until=_moment(claim.get("valid_until"), end=True),
        accepted=claim.get("accepts") is not None,
    )


def _moment(text: Any, *, end: bool = False) -> datetime | None:
    """A moment in UTC, or None for what is none. A day that ends something is part of it; year 9999 means for ever."""
    try:
        moment = datetime.fromisoformat(str(text).strip())
        if end and len(str(text).strip()) <= len("2026-12-31"):
            moment += timedelta(days=1)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if 1000 <= moment.year < FOR_EVER else None
