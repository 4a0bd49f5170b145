"""The journey: what a customer says in one conversation holds in the next one, for that customer alone."""

import asyncio

import pytest

from graph.deps import Deps
from graph.settings import Settings
from support.scripted import ScriptedModel
from tests.graph.process import running
from tests.graph.talk import OTHER, THIRD, THREAD, Talk

MORNING, EVENING = "Please deliver in the morning.", "Actually, I meant the evening, not the morning."
ASKS = "When will you deliver?"

# How customers put it, and what is stored then. The demo model understands all of them, and more than these.
PARAPHRASES = [
    (MORNING, EVENING, "evening"),
    ("I prefer deliveries in the afternoon.", "Sorry, evenings are better for deliveries.", "evening"),
    ("Mornings work best for my deliveries.", "Correction: please deliver in the afternoon instead.", "afternoon"),
    ("My delivery window is 9 to 11 am.", "Change my delivery window to 14:00-16:00, please.", "14:00-16:00"),
    ("Deliver after 6 pm, please.", "I changed my mind: deliver before 10 am.", "until 10:00"),
    ("Hi! Evening deliveries suit me best.", "From now on, deliver in the morning instead.", "morning"),
    ("I'd like my orders to arrive in the afternoon.", "Please deliver in the evening from now on.", "evening"),
    ("Afternoon is best for my packages.", "Make it the morning instead.", "morning"),
    ("Can you set my delivery window to morning?", "Please switch my delivery window to the evening.", "evening"),
    ("You can drop off parcels in the evening.", "I meant the afternoon for deliveries.", "afternoon"),
    ("please deliver mornings", "I no longer want mornings; deliver in the evening.", "evening"),
    ("I am only in for deliveries in the morning.", "Update: deliveries in the evening now, please.", "evening"),
]


@pytest.mark.parametrize(("says", "corrects", "value"), PARAPHRASES)
async def test_paraphrases(talk: Talk, says: str, corrects: str, value: str) -> None:
    """However it is put: the correction is stored before the reply, told in the next conversation, and audited."""
    await talk.say(says)
    await talk.drain()
    corrected = await talk.say(corrects)
    assert ("replace", "delivery_window", value) in corrected.written
    assert value in corrected.reply
    assert value in (await talk.say(ASKS, thread=OTHER)).reply
    assert "don't know" in (await talk.say(ASKS, user="bob", thread=THIRD)).reply
    ledger = await talk.ledger()
    assert [row["outcome"] for row in ledger] == ["insert", "replace"]
    assert [row["statement"]["quote"] in text for row, text in zip(ledger, (says, corrects), strict=True)] == [
        True,
        True,
    ]


@pytest.mark.parametrize("background", [True, False])
async def test_the_journey_survives_kill_9(settings: Settings, talk: Talk, background: bool) -> None:
    """Said, corrected, killed: a new conversation knows the correction, another customer nothing, the old one goes on.

    With the background worker running beside the turns, and with one that never got its turn.
    """
    with running(settings, background=background) as process:
        assert "evening" not in process.say(MORNING)["reply"]
        assert "evening" in process.say(EVENING)["reply"]
        process.kill()
    with running(settings, background=background) as process:
        assert "evening" in process.say(ASKS, thread=OTHER)["reply"]
        assert "don't know" in process.say(ASKS, user="bob", thread=THIRD)["reply"]
        history = process.say("Thank you.", thread=THREAD)["history"]
    assert [text for kind, text in history if kind == "human"] == [MORNING, EVENING, "Thank you."]
    assert [kind for kind, _ in history] == ["human", "ai"] * 3
    ledger = [row for row in await talk.ledger() if row["outcome"] != "noop"]
    assert [row["outcome"] for row in ledger] == ["insert", "replace"]
    quotes = [row["statement"]["quote"] for row in ledger]
    assert [quote in text for quote, text in zip(quotes, (MORNING, EVENING), strict=True)] == [True, True]
    assert (await talk.fact("delivery_window"))["support"] == 1


async def test_an_ordinary_statement_is_stored_in_the_background(settings: Settings, talk: Talk) -> None:
    """It costs the turn no extraction, the reply claims nothing, and the worker has stored it seconds later."""
    with running(settings, background=True) as process:
        said = process.say("Please deliver in the morning.")
        assert said["written"] == []
        assert "not stored yet" in said["reply"]
        async with asyncio.timeout(10):
            while not await talk.facts():  # noqa: ASYNC110 - the worker is another process
                await asyncio.sleep(0.05)
    assert await talk.facts() == {"delivery_window": "morning"}


async def test_an_urgent_message_is_read_once(deps: Deps, model: ScriptedModel) -> None:
    """The turn reads it; the background, which is at work at the same time, does not ask the model again."""
    async with Talk.open(deps, background=True) as talk:
        await asyncio.sleep(0.5)  # the worker has begun
        turn = await talk.say("Correction: please deliver in the evening.")
        assert ("insert", "delivery_window", "evening") in turn.written
        await asyncio.sleep(1.5)
        assert len([r for r in model.requests if "response_format" in r]) == 1
        assert not (await talk.say("My name is Sam.")).report["urgent"]
        for _ in range(60):  # an ordinary one needs the background, and needs it now
            if "preferred_name" in await talk.facts():
                break
            await asyncio.sleep(0.1)
        assert (await talk.facts())["preferred_name"] == "Sam"
