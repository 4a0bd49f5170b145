"""Whole turns, calls beside their own results, and what can be removed by id."""

from hypothesis import given
from hypothesis import strategies as st

from trusted_memory.conversation.history import Item, Role, cuts, heal, turns

ROLES: tuple[Role, ...] = ("customer", "assistant", "tool", "foreign")
roles = st.sampled_from(ROLES)
ids = st.sampled_from(["a", "b", ""])


@st.composite
def histories(draw: st.DrawFn) -> list[Item]:
    """Items in any order, with ids that repeat."""
    return [
        Item(
            at,
            role,
            id=draw(st.one_of(st.none(), st.sampled_from("abcdefgh"))),
            calls=tuple(draw(st.lists(ids, max_size=3))) if role == "assistant" else (),
            answers=draw(ids),
            empty=draw(st.booleans()),
        )
        for at, role in enumerate(draw(st.lists(roles, max_size=14)))
    ]


@given(histories())
def test_c4_every_call_is_followed_by_its_own_results(items: list[Item]) -> None:
    """C4: behind a message with calls stand exactly its results, in order; nowhere else is one."""
    owed: list[str] = []
    for item in heal(items).items:
        if item.role == "tool":
            assert owed.pop(0) == item.answers
        else:
            assert not owed
            assert item.role != "foreign"
            owed = list(item.calls)
    assert not owed


@given(histories())
def test_healing_loses_nothing_silently_and_twice_is_once(items: list[Item]) -> None:
    """Every item is either shown or named as dropped; a healed history needs no more healing."""
    healed = heal(items)
    shown = {item.position for item in healed.items if not item.lacking}
    assert shown | set(healed.dropped) == set(range(len(items)))
    assert not shown & set(healed.dropped)
    assert heal(healed.items).items == healed.items


def test_results_go_to_calls_by_position_where_ids_repeat() -> None:
    """Two parallel calls with one id get their results in turn; a third result of that id is an orphan."""
    call = Item(0, "assistant", calls=("x", "x"))
    results = [Item(at, "tool", answers="x") for at in (1, 2, 3)]
    healed = heal([call, *results])
    assert [item.position for item in healed.items] == [0, 1, 2]
    assert healed.dropped == {3: "orphan"}


def test_a_result_that_comes_after_the_customer_spoke_is_no_result() -> None:
    """Position decides: the late result is dropped and the call is shown as unanswered."""
    late = [Item(0, "assistant", calls=("x",)), Item(1, "customer"), Item(2, "tool", answers="x")]
    healed = heal(late)
    assert [(item.position, item.lacking) for item in healed.items] == [(0, False), (0, True), (1, False)]
    assert healed.dropped == {2: "orphan"}


@given(histories())
def test_turns_are_the_history_cut_before_each_customer(items: list[Item]) -> None:
    """Joined, the turns are the history; only the first can be without a customer."""
    cut = turns(items)
    assert [item for turn in cut for item in turn.items] == items
    assert all(not turn.opening for turn in cut[1:])
    assert all(item.role != "customer" for turn in cut for item in turn.items[1:])


@given(histories())
def test_removing_by_id_never_reaches_a_turn_that_stays(items: list[Item]) -> None:
    """C5: the ids of the removable turns stand in no other turn, and each of their messages has one."""
    cut = turns(items)
    for count in cuts(cut):
        gone = {item.id for turn in cut[:count] for item in turn.items}
        assert None not in gone
        assert not gone & {item.id for turn in cut[count:] for item in turn.items}
