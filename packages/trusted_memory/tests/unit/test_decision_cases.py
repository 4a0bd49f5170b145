"""The specification by example: every decision case, in the given order, shuffled, doubled, in any batching."""

import random

import pytest

from support.casebook import Case, load_cases

CASES = load_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_in_the_given_order(case: Case) -> None:
    """Records and decisions are exactly those the case expects."""
    decisions, records = case.play(case.events)
    assert records == case.expect
    assert decisions == case.expect_decisions


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_in_any_order_any_number_of_times(case: Case) -> None:
    """F2: shuffled and doubled deliveries end in the same records (settle and erase come after what they refer to)."""
    chance = random.Random(case.name)
    for _ in range(30):
        _, records = case.play(case.shuffled(chance, doubled=chance.random() < 0.5))
        assert records == case.expect
