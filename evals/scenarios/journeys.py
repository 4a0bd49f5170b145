"""What travellers say in the travel scenario: ordinary preferences and questions, then a seat that is corrected."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.served import Claims

SEATS = ("window", "aisle")
SEAT = ("I like to sit at the {v}.", "A {v} seat is what I prefer.", "I always take a {v} seat.")
ORDINARY: Mapping[str, tuple[str, Mapping[str, str]]] = {  # sentence → attribute and value
    "I usually fly from {v}.": ("home_airport", {v: v for v in ("Munich", "Porto", "Bergen", "Lyon")}),
    "I'm {v}.": ("meal", {v: v for v in ("vegetarian", "vegan")}),
    "My passport is from {v}.": ("passport_country", {v: v for v in ("Canada", "Norway", "Portugal")}),
}
CHATTER = (
    "Is there a direct flight to Oslo on Friday?", "Thanks, that helps.", "How much luggage may I take?",
    "What does the early flight cost?", "Does that price include taxes?", "How long is the layover?",
)  # fmt: skip
CORRECTIONS = (
    "Sorry, I meant the {v}, not the {o}.",
    "Actually, I'd like the {v} seat.",
    "Please change my seat to {v}.",
    "No, {v} seat please.",
    "I no longer like the {o}: a {v} seat from now on.",
    "Make that the {v} seat.",
    # without a cue: only the live fact shows that these change anything
    "I'd like to sit at the {v}.",
    "A {v} seat suits me better.",
)
QUESTION = "Which seat will you book for me?"


@dataclass
class Journey:
    """`ordinary` is said first, then the `correction` of the `wish`; `seat` is right then. `claims` are by text."""

    seat: str
    old: str
    wish: str
    correction: str
    at_once: bool  # the wish comes right before the correction: memory has not read it
    ordinary: list[str] = field(default_factory=list)
    claims: dict[str, Claims] = field(default_factory=dict)


def journey(number: int, dice: random.Random) -> Journey:
    old, seat = dice.sample(SEATS, 2)
    correction = CORRECTIONS[number % len(CORRECTIONS)].format(v=seat, o=old)
    wish = dice.choice(SEAT).format(v=old)
    made = Journey(seat, old, wish, correction, number % 3 == 0)
    made.claims[wish] = (_claim("seat_preference", old, wish, "state"),)
    made.claims[correction] = (_claim("seat_preference", seat, correction, "correct"),)
    told = []
    for sentence, (attribute, values) in ORDINARY.items():
        value = dice.choice(sorted(values))
        told.append(sentence.format(v=value))
        made.claims[told[-1]] = (_claim(attribute, value, told[-1], "state"),)
    others = [*told, *dice.sample(CHATTER, 3)]
    dice.shuffle(others)
    made.ordinary = others if made.at_once else [wish, *others]
    return made


def _claim(attribute: str, value: str, quote: str, intent: str) -> dict[str, str]:
    return {"attribute": attribute, "value": value, "quote": quote, "intent": intent}
