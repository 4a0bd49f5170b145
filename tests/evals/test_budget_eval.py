"""The evaluation of the budget, and that its checker can fail."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.budget import evaluate
from support.checker import Wire, has_current_turn, pairs_are_valid, tokens, was_seen

KEYS = [
    *("model_calls", "over_budget", "invalid_pairs", "newest_turn_lost", "without_human", "folded_unseen"),
    *("summary_missing", "summaries", "kept_share", "tokens_p50", "tokens_p95", "tokens_max"),
    *("in_request", "by_search", "lost"),
]
SYSTEM: Wire = {"role": "system", "content": "s"}
USER: Wire = {"role": "user", "content": "where is my order AB-1001 today?"}
CALL: Wire = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
RESULT: Wire = {"role": "tool", "tool_call_id": "c", "content": "it is on its way to you"}


def conversation(turns: int) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be kind."}]
    for n in range(turns):
        said = f"Question {n}, please look at order QX-{n:04d} and tell me about it. " * 4
        messages.append({"role": "user", "id": f"u{n}", "content": said})
        messages.append(
            {"role": "assistant", "content": f"I looked at QX-{n:04d} for you and all is well with it. " * 4}
        )
    return {"id": "c1", "messages": messages}


async def run(tmp_path: Path, *lines: dict[str, Any], faults: tuple[str, ...] = ("none",)) -> dict[str, float]:
    file = tmp_path / "conversations.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    return (await evaluate(file, 2_500, faults)).result()


async def test_a_conversation_keeps_what_must_survive(tmp_path: Path) -> None:
    """Of strings said early, each is in the last request or found by search; what was never said is lost."""
    talk = conversation(30) | {"must_survive": ["QX-0000", "QX-0029", "order QX-0003", "never said"]}
    result = await run(tmp_path, talk)
    assert list(result) == KEYS
    assert result["model_calls"] == 30
    assert result["summaries"] > 1
    assert [result[name] for name in KEYS[1:7]] == [0] * 6
    assert result["in_request"] + result["by_search"] == 3
    assert result["lost"] == 1


@pytest.mark.parametrize("edited", ["u0", "u28"])
async def test_an_edit_of_an_earlier_message_survives(tmp_path: Path, edited: str) -> None:
    """Whether the original was folded or still stands, what the edit says is there at the end."""
    talk = conversation(30)
    talk["messages"] += [
        {"role": "user", "content": "I meant order ZZ-7777 all the time.", "edit_of": edited},
        {"role": "assistant", "content": "Thank you."},
    ]
    result = await run(tmp_path, talk | {"must_survive": ["ZZ-7777"]})
    assert result["in_request"] == 1
    assert [result[name] for name in KEYS[1:7]] == [0] * 6


async def test_without_any_summary_requests_stay_within_their_limit(tmp_path: Path) -> None:
    """C7: with a summarizer that never works the same holds, and nothing is folded."""
    result = await run(tmp_path, conversation(30), faults=("silent",))
    assert result["summaries"] == 0
    assert [result[name] for name in KEYS[1:7]] == [0] * 6


@pytest.mark.parametrize(
    ("messages", "valid"),
    [
        ([SYSTEM, USER, CALL, RESULT], True),
        ([SYSTEM, USER, CALL], False),
        ([SYSTEM, USER, RESULT], False),
        ([SYSTEM, USER, CALL, USER, RESULT], False),
        ([SYSTEM, USER, CALL, RESULT, RESULT], False),
        ([USER, CALL, RESULT], False),
        ([SYSTEM, USER, SYSTEM], False),
    ],
)
def test_the_checker_tells_valid_from_invalid(messages: list[Wire], valid: bool) -> None:
    """Missing, doubled, late and orphaned results, and a second or missing system message, are all seen."""
    assert pairs_are_valid(messages) is valid


def test_the_checker_misses_a_turn_that_is_not_there() -> None:
    """The current turn must be the end of the request, whole or visibly reduced."""
    current = [USER, CALL, RESULT]
    assert has_current_turn([SYSTEM, *current], current)
    assert not has_current_turn([SYSTEM, USER, CALL], current)
    assert not has_current_turn([SYSTEM, CALL, RESULT], current)
    assert not has_current_turn([SYSTEM, USER, CALL, {**RESULT, "content": "something else"}], current)
    assert has_current_turn([SYSTEM, USER, CALL, {**RESULT, "content": "it is on its way\n[reduced from 9]"}], current)


def test_the_checker_sees_what_was_not_shown() -> None:
    """A text of which a part was never shown was not seen, however the rest was cut up."""
    said = " ".join(f"word{n}" for n in range(100))
    assert was_seen(said, said[:300] + "\ntool: " + said[300:])
    assert not was_seen(said, said[:300] + "\ntool: " + said[340:])
    assert tokens([USER]) > tokens([{**RESULT, "content": ""}])
