"""How customers of the retailer put things in the scenario: the values of each attribute, and sentences around them.

`{v}` is the value. What a sentence claims is known by construction; the scripted extractor looks it up.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Sayings:
    """`states` are statements, `again` the same in other words, `corrects` take `{o}` back; `asks` wants it told."""

    values: tuple[str, ...]
    states: tuple[str, ...]
    again: tuple[str, ...]
    corrects: tuple[str, ...]
    asks: str
    forgets: str


SINGLE: Mapping[str, Sayings] = {
    "delivery_window": Sayings(
        ("morning", "afternoon", "evening"),
        ("Please deliver in the {v}.", "Deliveries in the {v} suit me."),
        (
            "My parcels should arrive in the {v}.",
            "For deliveries the {v} is best for me.",
            "Bring my orders in the {v}.",
        ),
        (
            "Actually, I meant the {v}, not the {o}.",
            "Sorry, that was wrong: deliver in the {v}, please.",
            "Please change my delivery window to the {v}.",
            "Deliveries in the {v} please, the {o} no longer works.",
        ),
        "When will you deliver?",
        "Please forget my delivery window.",
    ),
    "contact_channel": Sayings(
        ("email", "phone", "sms", "post"),
        ("Please contact me by {v}.", "I prefer to be contacted by {v}."),
        ("By {v} you reach me best.", "Contact me by {v}, that is easiest for me."),
        (
            "Actually, contact me by {v}, not by {o}.",
            "Sorry, I meant {v}: contact me by {v}.",
            "Please change my contact channel to {v}.",
        ),
        "How will you contact me?",
        "Please forget my contact channel.",
    ),
    "preferred_name": Sayings(
        ("Ada", "Bela", "Cleo", "Dino", "Edda", "Fred", "Gwen", "Hana"),
        ("Please call me {v}.", "My name is {v}."),
        ("You can call me {v}.", "Do call me {v}, please."),
        ("Actually my name is {v}, not {o}.", "Sorry, that was misspelled: my name is {v}.", "No, my name is {v}."),
        "What is my name?",
        "Please forget my name.",
    ),
    "shoe_size": Sayings(
        tuple(map(str, range(36, 47))),
        ("My shoe size is {v}.", "I wear shoes in size {v}."),
        ("For shoes I take size {v}.", "Size {v} is my shoe size."),
        (
            "Actually my shoe size is {v}, not {o}.",
            "Sorry, wrong number: my shoe size is {v}.",
            "Please change my shoe size to {v}.",
        ),
        "What is my shoe size?",
        "Please forget my shoe size.",
    ),
}
ALLERGENS = ("peanuts", "latex", "shellfish", "nickel", "walnuts", "soy", "wool", "sesame")
ALLERGIC = ("I'm allergic to {v}.", "I have an allergy to {v}.")
ALLERGIC_AGAIN = ("Please note that I am allergic to {v}.", "Because I am allergic to {v}, please check the labels.")
CURED = "I'm no longer allergic to {v}."
CHATTER = (
    "Where is my parcel?", "Thanks, that helps a lot.", "Do you sell tent pegs?", "How long can I send things back?",
    "My sister's shoe size is 39.", "If I lived closer, I would pick it up.", "The jacket was for my brother.",
    "What does sending to Norway cost?", "I will think about it.", "Could you look up my last order?",
)  # fmt: skip
TOLD = "I have set your {what} to {v}."  # what the assistant says, and nobody has said to it
