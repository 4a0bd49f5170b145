"""The allocation: its default, what is impossible, and other totals."""

import pytest
from pydantic import ValidationError

from trusted_memory.conversation.budget import Budget, RequestTooLarge
from trusted_memory.conversation.request import check_fixed
from trusted_memory.models.counting import count_tokens


def test_the_default_is_the_allocation_of_twelve_thousand_tokens() -> None:
    """2,000 for the reply, 2,000 fixed, 2,000 facts, and 6,000 of conversation, add up to the total."""
    budget = Budget()
    parts = (budget.output_reserve, budget.instructions, budget.facts, budget.summary, budget.recent)
    assert parts == (2_000, 2_000, 2_000, 1_000, 5_000)
    assert (budget.total, budget.request) == (12_000, 10_000)


def test_limits_follow_the_part_they_belong_to() -> None:
    """Where only the recent share is set, triggers and caps keep their order below it."""
    budget = Budget(recent=2_000)
    assert budget.keep < budget.soft < budget.hard == budget.recent
    assert budget.tool_output < budget.recent


@pytest.mark.parametrize(
    ("wrong", "numbers"),
    [
        ({"facts": 5_000}, ["15,000", "12,000", "facts 5,000"]),
        ({"total": 1_000}, ["12,000", "1,000"]),
        ({"soft": 5_500}, ["5,500", "5,000"]),
        ({"hard": 6_000}, ["6,000", "5,000"]),
        ({"keep": 4_800}, ["4,800", "4,500"]),
        ({"tool_output": 9_000}, ["9,000", "5,000"]),
        ({"summary": 2_000, "recent": 4_000, "output_reserve": 1_000}, ["2,000", "1,000"]),
        ({"pinned": 900}, ["900", "1,000"]),
        ({"recent": 0}, []),
        ({"output_reserve": -1}, []),
        ({"sumary": 3}, []),
    ],
)
def test_an_impossible_allocation_says_its_numbers(wrong: dict[str, int], numbers: list[str]) -> None:
    """Nothing starts with a budget that can't be kept, and the error names the amounts."""
    with pytest.raises(ValidationError) as error:
        Budget(**wrong)
    for number in numbers:
        assert number in str(error.value)


@pytest.mark.parametrize("total", [2_500, 4_000, 12_000, 128_000])
def test_another_total_keeps_the_proportions(total: int) -> None:
    """The parts never exceed the total, and what given parts leave goes to the recent turns."""
    budget = Budget.for_total(total)
    without_facts = Budget.for_total(total, facts=0)
    assert without_facts.recent == budget.recent + budget.facts
    assert Budget.for_total(12_000) == Budget()


def test_a_fixed_part_over_its_share_fails_at_start() -> None:
    """C1: instructions and tools that don't fit their share are an error before any conversation."""
    assert check_fixed("Be brief.", (), Budget(), count_tokens) < 100
    with pytest.raises(RequestTooLarge, match=r"2,000 are allowed"):
        check_fixed("Be brief. " * 2_000, (), Budget(), count_tokens)
