"""The example domain's readers: what they make of customers' words, and what they refuse."""

import pytest

from support.shop.domain import contact_channel, delivery_window, size


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("mornings", "morning"), ("in the afternoon, please", "afternoon"), ("abends", "evening"),
        ("por la tarde", "afternoon"), ("más tarde", None), ("mañana", None), ("por la mañana", "morning"),
        ("'s avonds", "evening"), ("le soir", "evening"), ("di mattina", "morning"), ("à noite", "evening"),
        ("between 2 and 4", "14:00-16:00"), ("2 and 4 pm", "14:00-16:00"), ("from 9 to 12", "09:00-12:00"),
        ("after 5", "from 17:00"), ("after 6 pm", "from 18:00"), ("before noon", "until 12:00"),
        ("5 to 7", "17:00-19:00"),
        ("14:00-16:00", "14:00-16:00"), ("from 6 am to 8 am", "06:00-08:00"), ("ab 18 Uhr", "from 18:00"),
        ("2-4 weeks", None), ("from 1 June", None), ("from now on, 3 Chapel Hill", None),
        ("on the 5th", None), ("", None),
    ],
)  # fmt: skip
def test_delivery_windows(words: str, read: str | None) -> None:
    """Parts of the day in seven languages, ranges and open ends; dates, addresses and durations are none."""
    assert delivery_window(words) == read


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("42", "42"), ("size 9½", "9.5"), ("9,5", "9.5"), ("2XL", "XXL"), ("xxl", "XXL"), ("medium", "M"),
        ("116", "116"),
        ("UK 8", "8"), ("255 mm", None), ("it's", None), ("3 pairs", None), ("I'm", None), ("12.50", None), ("", None),
    ],
)  # fmt: skip
def test_sizes(words: str, read: str | None) -> None:
    """Numbers and letters as shops have them; lengths, counts and prices are none."""
    assert size(words) == read


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("e-mail", "email"), ("regular mail", "post"), ("a letter", "post"), ("text me", "sms"),
        ("per Telefon", "phone"),
        ("newsletter", None), ("during", None), ("por correo", "email"),
    ],
)  # fmt: skip
def test_channels(words: str, read: str | None) -> None:
    """Whole words only, in seven languages."""
    assert contact_channel(words) == read
