"""What the offline demo model understands, as tables: every row is handled by the general patterns."""

import pytest

from trusted_memory.offline.understanding import claims

Row = tuple[str, str | None, str]

STATED: dict[str, list[tuple[str, str, str]]] = {
    "delivery_window": [
        ("Please deliver in the morning.", "morning", "state"),
        ("I'd like my parcels in the afternoon, please.", "afternoon", "state"),
        ("My delivery window is evening.", "evening", "state"),
        ("I prefer evening deliveries", "evening", "state"),
        ("Mornings work best for me.", "Morning", "state"),
        ("Deliveries between 2 and 4 pm would be great.", "between 2 and 4 pm", "state"),
        ("please deliver 14:00-16:00", "14:00-16:00", "state"),
        ("Deliver after 6pm, thanks!", "after 6pm", "state"),
        ("The courier should come before noon.", "before noon", "state"),
        ("My delivery slot: from 9 to 11 am", "from 9 to 11 am", "state"),
        ("I would prefer to get my packages after 18:00", "after 18:00", "state"),
        ("Hi! Good morning. Please bring orders in the evening.", "evening", "state"),
        ("Actually, please deliver in the evening instead.", "evening", "correct"),
        ("No, I meant the afternoon.", "afternoon", "correct"),
        ("Sorry, make it between 10 and 12.", "between 10 and 12", "correct"),
        ("Could you please change my delivery window to evening?", "evening", "correct"),
        ("Change my delivery window from morning to evening", "evening", "correct"),
        ("Evening deliveries instead of morning ones, please", "Evening", "correct"),
        ("I want deliveries in the evening, not in the morning.", "evening", "correct"),
        ("Don't deliver in the morning anymore, evenings are better", "evening", "correct"),
        ("From now on, drop parcels off before 10 am", "before 10 am", "correct"),
    ],
    "preferred_name": [
        ("My name is Dana Whitfield.", "Dana Whitfield", "state"),
        ("my name is anna", "anna", "state"),
        ("Call me Sam", "Sam", "state"),
        ("Please call me Ms. Ito.", "Ms. Ito", "state"),
        ("I go by Max", "Max", "state"),
        ("I'd prefer to be called Alex", "Alex", "state"),
        ("Hi, I'm Anna.", "Anna", "state"),
        ("Hello, this is Jean-Luc, how are things", "Jean-Luc", "state"),
        ("You can address me as Dr. Weber", "Dr. Weber", "state"),
        ("My preferred name is Zoë", "Zoë", "state"),
        ("Actually, call me Samantha.", "Samantha", "correct"),
        ("Please change my name to O'Neill", "O'Neill", "correct"),
        ("My name is Jon, not John.", "Jon", "correct"),
    ],
    "contact_channel": [
        ("Please contact me by email.", "email", "state"),
        ("I prefer email over phone calls.", "email", "state"),
        ("Reach me by phone", "phone", "state"),
        ("Please text me", "text", "state"),
        ("You can reach me via SMS.", "SMS", "state"),
        ("My preferred contact channel is post", "post", "state"),
        ("Email is best for me", "Email", "state"),
        ("Actually, SMS please", "SMS", "correct"),
        ("Send updates by text message.", "text message", "state"),
        ("I want to be contacted by e-mail", "e-mail", "state"),
        ("Write to me by letter please", "letter", "state"),
        ("Actually, text me instead of calling.", "text", "correct"),
        ("Don't call me anymore, email me", "email", "correct"),
        ("Switch my contact channel to SMS", "SMS", "correct"),
        ("I'd rather be notified by phone now", "phone", "correct"),
    ],
    "shoe_size": [
        ("My shoe size is 42.", "42", "state"),
        ("I wear size 42 shoes", "42", "state"),
        ("I take a 9.5 in boots", "9.5", "state"),
        ("shoe size: 38", "38", "state"),
        ("I'm a UK 8 in sneakers", "UK 8", "state"),
        ("My feet are a 44", "44", "state"),
        ("In shoes I wear 43", "43", "state"),
        ("I need boots in size 41", "41", "state"),
        ("My shoes are EU 39", "EU 39", "state"),
        ("please note my shoe size is 40", "40", "state"),
        ("Actually my shoe size is 43, not 42.", "43", "correct"),
        ("Please change my shoe size to 44", "44", "correct"),
    ],
    "clothing_size": [
        ("My clothing size is M.", "M", "state"),
        ("I wear XL shirts", "XL", "state"),
        ("I take a medium in shirts", "medium", "state"),
        ("I'm a size S", "S", "state"),
        ("Update my clothing size to L", "L", "correct"),
        ("I wear a large in jackets now", "large", "correct"),
    ],
    "allergy": [
        ("I'm allergic to peanuts, by the way.", "peanuts", "state"),
        ("I have a nut allergy", "nut", "state"),
        ("I am allergic to latex.", "latex", "state"),
        ("I have an allergy to bee stings", "bee stings", "state"),
        ("I can't eat gluten", "gluten", "state"),
        ("I'm intolerant to lactose", "lactose", "state"),
        ("Please note that I am allergic to nickel", "nickel", "state"),
        ("I react badly to wool", "wool", "state"),
        ("My allergies: shellfish", "shellfish", "state"),
        ("Allergic to strawberries!", "strawberries", "state"),
        ("I'm also allergic to soy", "soy", "state"),
        ("Sorry, I'm actually allergic to hazelnuts", "hazelnuts", "correct"),
    ],
}
RETRACTED: list[tuple[str, str, str | None]] = [
    ("Forget my shoe size.", "shoe_size", None),
    ("Please delete my delivery window", "delivery_window", None),
    ("Can you remove my preferred name?", "preferred_name", None),
    ("Please don't store my clothing size.", "clothing_size", None),
    ("Erase my contact channel", "contact_channel", None),
    ("I'm not allergic to nuts anymore", "allergy", "nuts"),
    ("I'm no longer allergic to eggs.", "allergy", "eggs"),
    ("Please remove my peanut allergy", "allergy", "peanut"),
    ("I no longer want deliveries in the evening", "delivery_window", "evening"),
]
NOTHING = [
    "Good morning!",
    "When will you deliver?",
    "Do you deliver in the evening?",
    "What is my shoe size?",
    "Am I allergic to peanuts?",
    "If I ever moved, I'd want deliveries in the morning.",
    "What if I wanted evening delivery",
    "Maybe I'd prefer afternoon deliveries",
    "My sister wears size 38 shoes.",
    "My son is allergic to peanuts",
    "My wife's shoe size is 38",
    "He prefers email",
    "They want deliveries in the evening",
    "I used to be allergic to peanuts.",
    "My shoe size was 41 before",
    "My parcel arrived in the morning",
    "I ordered shoes this morning",
    "Please deliver this order tomorrow morning",
    'The ad says "I wear size 45 shoes".',
    "My friend said: “call me Bob”",
    "I bought 2 pairs of shoes for 40 euros",
    "Can you call me back?",
    "Please call me later",
    "Send me an email with the invoice",
    "Don't forget my parcel!",
    "Thanks, that's all",
    "The shirt is too large",
    "Where is my order A-10442?",
    "My name is on the invoice",
    "I don't wear size 42 shoes",
    "I have no allergies",
    "",
]


def ask(*lines: str) -> list[dict[str, object]]:
    """Claims in messages that alternate between customer and assistant, the last one being the customer's."""
    roles = ["customer", "assistant"]
    first = (len(lines) - 1) % 2
    return claims(
        "\n".join(f"[{n + 1}] {roles[(n + first) % 2]} (2026-11-30T10:00:00Z): {line}" for n, line in enumerate(lines))
    )


@pytest.mark.parametrize(
    ("attribute", "text", "value", "intent"), [(a, *row) for a, rows in STATED.items() for row in rows]
)
def test_statement(attribute: str, text: str, value: str, intent: str) -> None:
    """A statement or correction in one of many wordings becomes exactly one claim with its exact quote."""
    (claim,) = ask(text)
    assert (claim["attribute"], claim["value"], claim["intent"]) == (attribute, value, intent)
    assert claim["message"] == 1
    assert str(claim["quote"]) in text
    assert value in str(claim["quote"])


@pytest.mark.parametrize("attribute", [a for a in STATED if a != "clothing_size"])
def test_paraphrases(attribute: str) -> None:
    """Every important attribute has at least ten wordings in the table."""
    assert len(STATED[attribute]) >= 10


@pytest.mark.parametrize(("text", "attribute", "value"), RETRACTED)
def test_retraction(text: str, attribute: str, value: str | None) -> None:
    """A wish to forget becomes a withdrawal, of the value it names if it names one."""
    (claim,) = ask(text)
    assert (claim["attribute"], claim["value"], claim["intent"]) == (attribute, value, "retract")


@pytest.mark.parametrize("text", NOTHING)
def test_nothing(text: str) -> None:
    """Questions, suppositions, other people, the past, single occasions and quotations state nothing."""
    assert ask(text) == []


def test_several() -> None:
    """One message can state several things, and several values of one."""
    found = ask("Hi, I'm Tom. I'm allergic to peanuts, eggs and shellfish, and my shoe size is 42. My sister wears 38.")
    assert [(c["attribute"], c["value"]) for c in found] == [
        ("preferred_name", "Tom"),
        ("allergy", "peanuts"),
        ("allergy", "eggs"),
        ("allergy", "shellfish"),
        ("shoe_size", "42"),
    ]


def test_swapped_allergy() -> None:
    """A correction of an allergy states the right one and withdraws the wrong one."""
    found = ask("I'm allergic to hazelnuts, not peanuts")
    assert [(c["value"], c["intent"]) for c in found] == [("peanuts", "retract"), ("hazelnuts", "correct")]


@pytest.mark.parametrize(
    ("question", "answer", "attribute", "value"),
    [
        ("What is your shoe size?", "42", "shoe_size", "42"),
        ("When should we deliver?", "In the evening please", "delivery_window", "evening"),
        ("How may we contact you?", "Email", "contact_channel", "Email"),
        ("What name may I use?", "Sam", "preferred_name", "Sam"),
    ],
)
def test_answer(question: str, answer: str, attribute: str, value: str) -> None:
    """A short answer is read in the light of the question before it."""
    (claim,) = ask(question, answer)
    assert (claim["message"], claim["attribute"], claim["value"]) == (2, attribute, value)
    assert ask("How are you?", answer) == [] or attribute == "contact_channel"


@pytest.mark.parametrize("yes", ["Yes please.", "Sure!", "ok", "Go ahead", "That's right", "yes, do that"])
@pytest.mark.parametrize(
    ("proposal", "attribute", "value"),
    [
        ("Shall I note evening as your delivery window?", "delivery_window", "evening"),
        ("Shall I change your shoe size to 43?", "shoe_size", "43"),
        ("I see. Should I save Sam as your preferred name?", "preferred_name", "Sam"),
        ("Would you like me to record peanuts as an allergy?", "allergy", "peanuts"),
    ],
)
def test_acceptance(proposal: str, yes: str, attribute: str, value: str) -> None:
    """Accepting a proposal is one explicit claim that names the assistant's message."""
    (claim,) = ask(proposal, yes)
    assert (claim["attribute"], claim["value"], claim["intent"]) == (attribute, value, "correct")
    assert (claim["message"], claim["accepts"]) == (2, 1)
    assert str(claim["quote"]) in yes


@pytest.mark.parametrize("answer", ["No thanks.", "Why?", "Where is my parcel?"])
def test_no_acceptance(answer: str) -> None:
    """A proposal that is not accepted is nothing."""
    assert ask("Shall I note evening as your delivery window?", answer) == []


def test_acceptance_with_another_value() -> None:
    """A yes that names another value states that value, not the proposed one."""
    (claim,) = ask("Shall I note evening as your delivery window?", "Yes, but mornings please")
    assert (claim["value"], claim["accepts"]) == ("morning", None)


def test_assistant_is_no_source() -> None:
    """What the assistant says is never a claim."""
    assert ask("hello", "Your shoe size is 42 and you prefer evening deliveries.", "thanks") == []


def test_the_prompt_around_the_messages() -> None:
    """What stands before and after the numbered messages is nobody's statement; a message may have several lines."""
    messages = "[7] customer (2026-11-30T10:00:00Z): Hi!\nMy shoe size is 42"
    prompt = f"Call me Robot.\n<transcript>\n{messages}\n</transcript>\nCall me Bob."
    assert [(c["message"], c["quote"]) for c in claims(prompt)] == [(7, "My shoe size is 42")]
