"""The journey: what a customer says in one conversation holds in the next one, for that customer alone."""

import pytest

from tests.graph.talk import OTHER, THIRD, Talk

# How customers put it → what is stored then. The demo model understands all of them, and more than these.
PARAPHRASES = [
    ("Please deliver in the morning.", "Actually, I meant the evening, not the morning.", "evening"),
]


@pytest.mark.parametrize(("says", "corrects", "value"), PARAPHRASES)
async def test_journey(talk: Talk, says: str, corrects: str, value: str) -> None:
    """A corrected value is told in the next conversation, and nobody else hears of it."""
    await talk.say(says)
    corrected = await talk.say(corrects)
    assert ("replace", "delivery_window", value) in corrected.written
    assert value in (await talk.say("When will you deliver?", thread=OTHER)).reply
    assert "don't know" in (await talk.say("When will you deliver?", user="bob", thread=THIRD)).reply
