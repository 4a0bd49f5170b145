"""CHANGE ME: what this assistant remembers, who may say it, and which tool results are facts.

The worked example is an online retailer's assistant. A fork replaces this file, tools.py and prompts/, nothing else.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from trusted_memory import Remember, Schema, SystemOfRecord, TimeRange, schema_of

ACCOUNT = (("tool:account",),)  # only the account system can say it
Letters = Literal["XXS", "XS", "S", "M", "L", "XL", "XXL", "XXXL"]


# fmt: off
class Customer(BaseModel):
    """What is remembered about a customer."""

    preferred_name: Annotated[str, Remember(
        "What the customer wants to be called.",
        cues=("name", "call me", "called", "address me"),
        examples=("Sam", "Ms. Ito"),
    )]
    delivery_window: Annotated[Literal["morning", "afternoon", "evening"] | TimeRange, Remember(
        "When deliveries should arrive.",
        cues=("deliver", "delivery", "deliveries", "drop off", "arrive", "bring", "window", "slot"),
        examples=("morning", "afternoon", "evening", "14:00-16:00"),
    )]
    delivery_address: Annotated[str, Remember(
        "Where deliveries go. Only the account system can say it.",
        authority=ACCOUNT,
        cues=("address", "moved", "street", "deliver to", "ship to"),
    )]
    contact_channel: Annotated[Literal["email", "phone", "sms", "post"], Remember(
        "How we may contact the customer.",
        cues=("contact", "reach", "email", "e-mail", "phone", "call", "text", "sms", "post", "letter"),
        options={"phone": "calls", "sms": "text messages", "post": "letters"},
    )]
    shoe_size: Annotated[Decimal, Field(ge=15, le=60, multiple_of=Decimal("0.5")), Remember(
        "The customer's own shoe size.",
        cues=("shoe", "shoes", "boots", "sneakers", "trainers", "size"),
        examples=("42", "39.5"),
    )]
    clothing_size: Annotated[Letters | Annotated[int, Field(ge=30, le=64)], Remember(
        "The customer's own clothing size.",
        cues=("clothes", "clothing", "shirt", "jacket", "dress", "trousers", "wear", "size"),
        examples=("S", "M", "L", "XL", "40"),
    )]
    allergy: Annotated[list[str], Remember(
        "Something the customer is allergic to; one value each.",
        within_origin="ask",
        look_twice=True,
        same="the thing itself, singular, without 'allergy'",
        cues=("allergic", "allergy", "allergies", "allergist", "intolerant", "intolerance", "react to", "tolerate",
              "break out", "rash"),
        examples=("peanuts", "latex"),
    )]
    account_tier: Annotated[str, Remember(
        "The customer's tier. Only the account system can say it.",
        authority=ACCOUNT,
        cues=("tier", "status", "gold", "silver", "platinum", "member", "membership", "upgrade"),
    )]
# fmt: on


SCHEMA: Schema = schema_of(Customer)

TOOL_FACTS: Mapping[str, SystemOfRecord] = {
    "look_up_account": SystemOfRecord("account", {"tier": "account_tier", "address": "delivery_address"}, "version"),
    "change_address": SystemOfRecord("account", {"address": "delivery_address"}, "version"),
}
