"""Urgent or not: one test a rule, with a schema made for it, and the project's own labelled messages."""

import re
import time

import pytest

from support.shop import domain
from trusted_memory.facts.schema import Attribute, schema
from trusted_memory.reading.gate import Live, Why, might_correct, urgent


def part_of_day(value: str) -> str | None:
    found = re.search(r"\b(morning|evening)s?\b", value.casefold())
    return found[1] if found else None


SCHEMA = schema(
    [
        Attribute("window", "When to deliver.", canonical=part_of_day, cues=("deliver", "delivery")),
        Attribute("name", "What to be called.", cues=("name", "call me")),
        Attribute("size", "Shoe size.", canonical=lambda v: v if re.fullmatch(r"\d\d", v) else None, cues=("shoe",)),
    ]
)
MORNING: Live = {"window": "morning"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I meant the other one", "correction"),
        ("My size is 43, not 42.", "correction"),
        ("Das stimmt nicht.", "correction"),
        ("Je me suis trompé.", "correction"),
        ("Quise decir otra cosa.", "correction"),
        ("Mi sono sbagliata.", "correction"),
        ("Enganei-me.", "correction"),
        ("Dat klopt niet.", "correction"),
        ("Please forget my name.", "retraction"),
        ("Vergiss das bitte.", "retraction"),
        ("Effacez ça.", "retraction"),
    ],
)
def test_explicit_corrections_are_urgent_whatever_is_known(text: str, why: Why) -> None:
    """An explicit correction or retraction is urgent in every language, with nothing known."""
    assert urgent(text, "", {}, SCHEMA).why == why


@pytest.mark.parametrize(
    "text",
    [
        "Evenings, please.",
        "I'm only in on evenings",
        "Mornings never work for me.",
        "My delivery times have changed.",
        "Lieber etwas anderes.",
        "Could you come in the evening?",
    ],
)
def test_a_statement_that_touches_a_live_fact_is_urgent(text: str) -> None:
    """Another value, a denial of the held one, or a change of it: urgent while the fact is live, ordinary before."""
    assert urgent(text, "", MORNING, SCHEMA).why == "touches a live fact"
    assert not urgent(text, "", {}, SCHEMA)


def test_a_misspelt_name_is_touched() -> None:
    """A free-text value is touched by a word that nearly is the one held."""
    assert urgent("It's Danielle.", "", {"name": "Daniel"}, SCHEMA)
    assert not urgent("It's raining.", "", {"name": "Daniel"}, SCHEMA)


@pytest.mark.parametrize("answer", ["Yes please", "ok", "Ja, gerne.", "Sì, va bene", "👍", "Evening.", "do it"])
def test_accepting_a_proposed_change_is_urgent(answer: str) -> None:
    """A yes to a change of something the schema knows is urgent; to a look-up or a booking it is not."""
    assert urgent(answer, "Shall I change your delivery to the evening?", {}, SCHEMA).why == "acceptance"
    assert not urgent(answer, "Shall I look up the order for you?", {}, SCHEMA)
    assert not urgent(answer, "Would you like me to book the table?", {}, SCHEMA)


def test_no_contradicts_or_declines() -> None:
    """A no to what was said of the customer is a correction; a no to an offer declines it."""
    assert urgent("No.", "Your deliveries come in the morning, right?", MORNING, SCHEMA).why == "correction"
    assert urgent("Nope, 43.", "You take 42.", {}, SCHEMA).why == "correction"
    assert not urgent("No, thanks.", "Shall I change your delivery to the evening?", MORNING, SCHEMA)
    assert not urgent("No, that's all.", "Anything else?", MORNING, SCHEMA)
    assert not urgent("No preference", "Which colour would you like?", MORNING, SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Thanks!",
        "Do you deliver in the evening?",
        "What is my delivery window?",
        "Where is my order?",
        "Mornings are fine, as always.",
        "You sent me the wrong parcel.",
        "I don't remember my password.",
        "Find me a cheaper lamp.",
        "Wann kommt mein Paket?",
        "¿Cuánto cuesta?",
        "Actually, a question: what does it cost?",
    ],
)
def test_ordinary_messages_wait(text: str) -> None:
    """Questions, errands, thanks and repetitions are ordinary, though a fact is live."""
    assert not urgent(text, "", MORNING, SCHEMA)


def test_unread_messages_are_held_to_less() -> None:
    """Without what came before, a bare yes or no and any mention of what the schema knows might correct something."""
    assert might_correct("no", {}, SCHEMA)
    assert might_correct("the delivery guy rang", MORNING, SCHEMA)
    assert not might_correct("the delivery guy rang", {}, SCHEMA)
    assert not might_correct("thanks!", MORNING, SCHEMA)


def test_a_megabyte_is_cheap() -> None:
    """A pasted megabyte takes no longer than the ends that are read, and a correction at its end is seen."""
    text = "so they said and went on and on. " * 30_000
    start = time.perf_counter()
    assert not urgent(text, text, MORNING, SCHEMA)
    assert urgent(text + "Evenings, please.", text, MORNING, SCHEMA)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    "text",
    [
        "not " + "'" * 4_000, "I do not want" + "\u2019" * 4_000, "n't " * 1_000, "not a " * 700, ", can you" * 500,
        "mein " * 800, "and my dear " * 350, "1 " * 2_000, "1:" * 2_000, "from about 1 " * 300, "xxl" * 1_300,
        "a\u0301" * 2_000,
    ],
    ids=range(12),
)  # fmt: skip
def test_hostile_text_is_decided_at_once(text: str) -> None:
    """No text keeps the event loop, and with it everybody else's turn: 4,000 characters take well under a second."""
    live = {"delivery_window": "morning", "delivery_address": "14 Mill Lane", "shoe_size": "42", "allergy": ["peanuts"]}
    started = time.perf_counter()
    urgent(text, text, live, domain.SCHEMA)
    might_correct(text, live, domain.SCHEMA)
    assert time.perf_counter() - started < 2
