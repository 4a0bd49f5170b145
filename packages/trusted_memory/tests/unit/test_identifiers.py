"""Identifiers, amounts, dates and addresses that a summary must not lose."""

import time
from collections.abc import Sequence

import pytest

from trusted_memory.conversation.identifiers import exact, grounded, holds, keep


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("my user ID is mia_li_3668, mail mia.li3818@example.com", ["mia_li_3668", "mia.li3818@example.com"]),
        ("refund $1,200.50 or 12,50 EUR or 30 dollars", ["$1,200.50", "12,50 EUR", "30 dollars"]),
        ("on 2026-12-04T10:30, or May 20th, or 30.11.2026", ["2026-12-04T10:30", "May 20th", "30.11.2026"]),
        ("order #4711-B and HAT136", ["#4711-B", "HAT136"]),
        ("call +49 30 1234567 please", ["+49 30 1234567"]),
        ("id 550e8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440000"]),
        ("just words, nothing exact", []),
    ],
)
def test_what_is_exact_is_found(text: str, words: list[str]) -> None:
    """Each kind is found whole, and prose is not mistaken for one."""
    assert [found.text for found in exact(text, "customer")] == words


def test_an_identifier_is_only_held_on_its_own() -> None:
    """HAT13 is not kept because HAT136 is."""
    assert not holds("flight HAT136", "HAT13")
    assert holds("flights hat136, HAT13.", "HAT13")


def test_a_pinned_word_says_what_it_is() -> None:
    """An entry carries who said it and the words before it."""
    (word,) = exact("Sure. My user ID is mia_li_3668.", "customer")
    assert word.entry == "customer: My user ID is mia_li_3668"


def test_the_customers_words_stay_before_a_tools() -> None:
    """In a full list newer goes before older, and what a tool returned goes last; what is out is named."""

    def fits(pinned: Sequence[str]) -> bool:
        return len(pinned) <= 2

    found = [*exact("AB-1001", "customer"), *exact("CD-2002", "tool search"), *exact("EF-3003", "customer")]
    kept = keep("nothing exact", ["customer: old GH-4004"], found, fits)
    assert kept.pinned == ["customer: AB-1001", "customer: EF-3003"]
    assert sorted(kept.out) == ["CD-2002", "GH-4004"]


def test_what_the_summary_says_again_is_not_pinned_any_more() -> None:
    """The list holds only what the summary leaves out."""
    kept = keep("order AB-1001 is late", ["customer: order AB-1001"], exact("AB-1001", "customer"), lambda _: True)
    assert kept.pinned == []
    assert kept.out == []


@pytest.mark.parametrize("piece", ["a", "a-", "1,", "1,111", "a@", "a.", "May ", "+1 "])
def test_a_huge_text_takes_no_quadratic_time(piece: str) -> None:
    """Every repetition in the patterns is bounded."""
    started = time.perf_counter()
    exact(piece * (200_000 // len(piece)), "customer")
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("customer: order HAT136 for $1200.50", True),
        ("customer: 1,200.50 dollars, ordered on 2026-05-20", True),  # written another way
        ("customer: wants it by 20 May", True),
        ("customer: call 030 1234567", True),
        ("customer: likes tea", True),
        ("customer: a 24-hour line, 3-bedroom flats, COVID-19, 9am-11am", True),
        ("customer: **HAT136**, `hat-136`, (order #HAT136)", True),
        ("customer: order HAT13", False),
        ("customer: order HAT-136 for $1,300.50", False),
        ("customer: mail mia.li@example.org", False),
        ("tool: refund of 300 EUR", False),
        ("customer: wants it by May 21st", False),
    ],
)
def test_a_line_that_names_what_nobody_said_is_left_out(line: str, kept: bool) -> None:
    """Amounts and dates may be rewritten; an identifier or an amount that nobody said takes its line with it."""
    shown = "customer: order HAT136 of May 20th, paid $1,200.50, mail mia.li@example.com, phone 030/1234567"
    assert grounded(f"tool: done\n{line}", shown) == (f"tool: done\n{line}" if kept else "tool: done")
