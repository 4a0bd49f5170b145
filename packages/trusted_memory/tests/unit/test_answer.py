"""The answer of an extraction model, whatever is in it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from trusted_memory.reading.answer import Useless, read_answer

CLAIM = {"message": 1, "attribute": "name", "value": "Sam", "quote": "Sam"}


def dated(text: Any) -> datetime | None:
    [(_, claim)] = read_answer({"claims": [CLAIM | {"valid_until": text}]})
    return claim.valid_until


def test_a_day_that_ends_something_is_part_of_it() -> None:
    """Dates come out in UTC, the moment after the day."""
    assert dated("2026-12-24") == datetime(2026, 12, 25, tzinfo=UTC)
    assert dated("2026-12-24T18:00:00+01:00") == datetime(2026, 12, 24, 17, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["9999-12-31", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+05:00", "soon", "", None, 7, "2026-02-30"]
)
def test_what_is_no_end(text: Any) -> None:
    """For ever, nonsense, and what a database could not keep: no end at all, and no crash."""
    assert dated(text) is None


@pytest.mark.parametrize("number", [float("inf"), float("nan"), "one", None, [1]])
def test_a_number_that_is_none_makes_the_answer_useless(number: Any) -> None:
    """Whatever stands where the message's number should: asked again, then rejected."""
    with pytest.raises(Useless):
        read_answer({"claims": [CLAIM | {"message": number}]})
