"""The scenarios of `python -m evals scenario`, small; and that they can fail."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from evals import overhead
from evals.growth import ours
from evals.scenarios import deliver, meeting, planning, retailer, travel
from evals.scenarios.events import Customer, Mix, Said, customers
from evals.scenarios.itinerary import itinerary, region_told
from evals.scenarios.minutes import meeting as minutes_of
from evals.scenarios.minutes import owner_told
from evals.scenarios.reckoning import Row, reckon
from trusted_memory.offline.replies import Reply
from trusted_memory.reading.gate import Urgency
from trusted_memory.storage.transcript import Message

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def said(number: int, value: str | None, *, attribute: str = "shoe_size") -> Said:
    """What is said `number` minutes after noon."""
    at = NOON + timedelta(minutes=number)
    return Said(f"m{number}", 0, at, str(value), "statement", attribute, value, retracts=value is None)


def test_reckoning_counts_the_last_word_and_how_often_in_a_row_it_was_said() -> None:
    """Late, repeated and withdrawn words lead where pen and paper lead."""
    arrivals = [said(1, "42"), said(3, "43"), said(3, "43"), said(4, "43"), said(2, "42"), said(5, None), said(6, "42")]
    reckoned = reckon(Customer(0, list(arrivals)))
    assert reckoned.facts == {"shoe_size": ("42", 1)}
    assert [(row.outcome, row.value, row.support) for row in reckoned.ledger] == [
        ("insert", "42", 1), ("replace", "43", 1), ("merge", "43", 2), ("reject", "43", 2), ("retract", None, 0),
        ("insert", "42", 1),
    ]  # fmt: skip


def test_reckoning_of_a_late_different_word_that_breaks_a_row() -> None:
    """A word that comes late and stood in between takes support away and decides nothing."""
    reckoned = reckon(Customer(0, [said(1, "42"), said(3, "42"), said(2, "43")]))
    assert reckoned.ledger[-1] == Row("m2", "shoe_size", "reject", "42", 1)


def test_the_mix_of_events_is_as_announced() -> None:
    """20,000 events: 6,000 redeliveries, 2,000 paraphrases, 200 corrections, and each of them delivered twice."""
    mix = Mix.of(20_000)
    assert mix == Mix(20_000, 6_000, 2_000, 200)
    arrivals = [a for c in customers(Mix.of(2_000), 1, NOON) for a in c.arrivals if isinstance(a, Said)]
    kinds = [message.kind for message in {message.id: message for message in arrivals}.values()]
    assert len(arrivals) == 2 * 2_000
    assert len(kinds) == 2_000 - 600
    assert (kinds.count("paraphrase"), kinds.count("correction")) == (200, 20)


@pytest.mark.parametrize("seed", range(20))
def test_whoever_reads_a_whole_meeting_or_plan_knows_the_right_answer(seed: int) -> None:
    """The judges of the meeting and planning scenarios understand every wording that those can have."""
    held = minutes_of(seed)
    assert {task: owner_told("\n".join(held.minutes), task) for task in held.owners} == held.owners
    made = itinerary(seed, turns=40)
    assert region_told("\n".join(made.said)) == made.new != made.old


async def test_retailer(database_uri: str) -> None:
    """Facts, support and ledger are as reckoned, corrections are in the next answer, and the lag stays small."""
    result = await retailer.run(database_uri, seed=1, events=100, seconds=2, thinking=0.1)
    assert retailer.passed(result), result


async def test_retailer_sees_a_redelivery_that_counts_twice(database_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a redelivery taken for a new message, support and ledger would not be as reckoned."""

    def anew(source: str, *fields: Any) -> Message:
        return Message(f"{source}-{uuid.uuid4()}", *fields)

    monkeypatch.setattr(deliver, "Message", anew)
    result = await retailer.run(database_uri, seed=1, events=30, seconds=0.1, thinking=0)
    assert not result["support_exact"]
    assert not result["ledger_exact"]
    assert not retailer.passed(result)


async def test_travel(database_uri: str) -> None:
    """A corrected seat is in the next answer; ordinary messages are read behind the replies."""
    result = await travel.run(database_uri, seed=1, travellers=4, pause=0, thinking=0.05)
    assert travel.passed(result), result
    assert result["extractions_for_corrections"] > 0


async def test_travel_sees_a_gate_that_lets_everything_wait_for_memory(
    database_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were every message read before its reply, the extractions on the response path would be counted."""
    monkeypatch.setattr("trusted_memory.service.intake.urgent", lambda *_: Urgency(True, "correction"))
    result = await travel.run(database_uri, seed=1, travellers=1, pause=0, thinking=0)
    assert result["taken_for_urgent_share"] == 1.0
    assert not travel.passed(result)


async def test_meeting(database_uri: str) -> None:
    """A correction of minute 15 is right in the request of minute 44, long after its minute was folded away."""
    result = await meeting.run(database_uri, seed=1, minutes=45)
    assert meeting.passed(result), result
    assert result["compactions"] > 0


async def test_meeting_sees_a_correction_that_was_lost(database_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a summarizer that forgets everything, the request of minute 44 has no owner to show."""
    monkeypatch.setattr(meeting, "extractive", lambda _: lambda _: Reply("People talked about many things."))
    result = await meeting.run(database_uri, seed=1, minutes=45)
    assert not result["correct_in_request"]
    assert not meeting.passed(result)


@pytest.mark.parametrize("fault", ["fails", "rambles"])
async def test_meeting_whose_summaries_all_fail(database_uri: str, fault: str) -> None:
    """C7: with no summary at all the correction of minute 15 is still in the request that asks about it."""
    result = await meeting.run(database_uri, seed=1, minutes=45, summarizer=fault)
    assert meeting.passed(result), result
    assert result["turns_summarized"] == 0
    assert result["compactions_before_the_reply"] == 0  # nobody waits again for what has just failed
    assert sum(result["compaction_failures"].values()) > 15  # but it is tried again after each reply
    assert result["excerpts_in_request"] > 0


async def test_planning(database_uri: str) -> None:
    """A change of region in the fourth message shapes the plan that is written after many folds."""
    result = await planning.run(database_uri, seed=1, turns=25)
    assert planning.passed(result), result
    assert result["compactions"] > 3


async def test_growth_is_measured(database_uri: str) -> None:
    """What a conversation takes on disk is seen to grow with its turns."""
    sizes = await ours(database_uri, turns=10, every=5, seed=1)
    assert 0 < sizes.after[5] <= sizes.after[10] < 1_000_000


async def test_nobody_waits_for_a_compaction(database_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reply is there before the summarizer is asked, below the hard limit."""
    monkeypatch.setattr(overhead, "THINKING", 0.5)
    result = await overhead.compact(database_uri, turns=25)
    assert result["compactions"] > 0
    assert not result["compactions_before_the_reply"]
    assert result["compaction_ms"] > 500 > result["reply_ms_compacting"]
