"""A text brought down to its cap."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.histories import long_texts, texts
from trusted_memory.conversation.reduce import reduce_text
from trusted_memory.models.counting import count_text

ORDERS = "\n".join(
    f"order {n}: {'blue socks' if n == 612 else 'grey towels'}, 3 pieces, 19.90 EUR" for n in range(1_000)
)


def test_what_fits_is_untouched() -> None:
    """A text within its cap comes back as it is."""
    assert reduce_text("as it is", 50, "", "m1", count_text) == "as it is"


def test_head_tail_and_what_was_asked_for_are_shown() -> None:
    """Of a thousand orders the first, the last and the one that the question is about stay readable."""
    shown = reduce_text(ORDERS, 400, "where are my blue socks?", "m1", count_text)
    assert "order 0:" in shown
    assert "order 999:" in shown
    assert "order 612: blue socks" in shown
    assert "characters left out" in shown
    assert 'read_more("m1")' in shown
    assert "blue socks" not in reduce_text(ORDERS, 400, "", "m1", count_text)


@settings(max_examples=40, deadline=None)
@given(text=st.one_of(texts, long_texts), cap=st.integers(60, 600), question=texts)
def test_the_cap_holds_in_any_script(text: str, cap: int, question: str) -> None:
    """No text is longer than its cap, and one that was reduced says so."""
    shown = reduce_text(text, cap, question, "m1", count_text)
    assert count_text(shown) <= cap
    assert shown == text or 'read_more("m1")' in shown


@pytest.mark.parametrize("piece", ["a", "\n", "},", "1,1,1,", "order 12 ", "配達"])
def test_a_huge_text_takes_no_time(piece: str) -> None:
    """A pathological text is reduced at once, not in minutes."""
    started = time.perf_counter()
    shown = reduce_text(piece * (200_000 // len(piece)), 1_000, "order 12", "m1", count_text)
    assert time.perf_counter() - started < 2
    assert count_text(shown) <= 1_000


def test_a_dense_script_keeps_its_beginning() -> None:
    """One unit of Japanese can hold more tokens than the whole cap; its head is shown all the same."""
    text = "配達は午前中にお願いします。注文番号は４７１１です。" * 50
    shown = reduce_text(text, 120, "", "m1", count_text)
    assert shown.startswith("配達は")
    assert "[reduced from" in shown
    assert count_text(shown) <= 120
