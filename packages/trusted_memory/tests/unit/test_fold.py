"""What to fold, in what pieces, and which summaries may replace it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.histories import long_texts, texts
from trusted_memory.conversation.fold import Line, due, readable, take, unusable
from trusted_memory.models.counting import count_text

sizes = st.lists(st.integers(0, 500), min_size=1, max_size=20)


@given(sizes, st.sets(st.integers(1, 20)), st.integers(1, 2_000), st.integers(0, 1_500))
def test_the_newest_turn_is_never_due(sizes: list[int], cuts: set[int], trigger: int, keep: int) -> None:
    """C5: only where it may be cut, never the newest turn, and nothing below the trigger."""
    allowed = sorted(cut for cut in cuts if cut <= len(sizes))
    count = due(sizes, allowed, trigger, min(keep, trigger))
    assert count == 0 or (count in allowed and count < len(sizes))
    if sum(sizes) <= trigger:
        assert count == 0
    elif further := [cut for cut in allowed if count < cut < len(sizes)]:
        assert sum(sizes[count:]) <= trigger, further


def test_a_fold_leaves_room_for_several_turns() -> None:
    """No re-summarizing every turn: 300 turns of 100 tokens fold every 18th turn, not every one."""
    waiting: list[int] = []
    folds = 0
    for _ in range(300):
        waiting.append(100)
        if count := due(waiting, range(1, len(waiting) + 1), 4_500, 2_700):
            folds += 1
            del waiting[:count]
    assert folds <= 300 // 15


def test_a_large_turn_stays_if_the_rest_would_be_little() -> None:
    """Folding 900 of 1,300 would leave 400 where 1,000 may stay: the large turn waits for the next fold."""
    assert due([500, 900, 400], [1, 2, 3], 1_500, 1_000) == 1
    assert due([500, 1_200, 400], [1, 2, 3], 1_500, 1_000) == 2


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.one_of(texts, long_texts)), max_size=6), st.integers(30, 300))
def test_c5_every_character_is_shown_once_and_fits(said: list[tuple[int, str]], room: int) -> None:
    """C5: the requests together hold each line whole, in order, and none is over its room."""
    lines = [Line(turn, "customer", text) for turn, text in sorted(said, key=lambda part: part[0])]
    left, shown = list(lines), [""] * 4
    while left:
        chunk, left = take(left, lambda text: count_text(text) <= room)
        assert chunk
        assert count_text("".join(line.text for line in chunk)) <= room or all(len(line.said) <= 1 for line in chunk)
        for line in chunk:
            shown[line.turn] += line.said
    assert shown == ["".join(line.said for line in lines if line.turn == turn) for turn in range(4)]


@pytest.mark.parametrize(
    ("text", "finish", "why"),
    [
        ("customer: wants it in the morning", "stop", None),
        ("", "stop", "empty"),
        (" - \n ... ", "stop", "empty"),
        ("customer: wants it in the mor", "length", "truncated"),
        ("<think>the customer wants", "stop", "truncated"),
        ("I'm sorry, but I can't help with that.", "stop", "refused"),
        ("I can\u2019t summarize this.", "", "refused"),
        ("fine", "content_filter", "refused"),
        ("the customer asked about flights\n" * 20, "stop", "repetitive"),
        ("very " * 200, "stop", "repetitive"),
        ("x1 y2 " * 10 + " ".join(f"w{n}" for n in range(300)), "stop", "oversized"),
    ],
)
def test_c6_only_a_whole_bounded_answer_may_replace_anything(text: str, finish: str, why: str | None) -> None:
    """C6 and C7: empty, cut, refused, looping and oversized summaries are all recognized."""
    assert unusable(text, finish, lambda text: count_text(text) <= 300) == why


def test_thoughts_and_fences_are_no_part_of_a_summary() -> None:
    """A reasoning model's thoughts and a code fence are taken off."""
    assert readable("<think>hm\nhm</think>\n```text\ncustomer: tea\n```") == "customer: tea"
