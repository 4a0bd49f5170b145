"""A conversation as the core sees it: items, whole turns, and tool calls next to their own results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["customer", "assistant", "tool", "foreign"]
Why = Literal["foreign", "empty", "orphan"]


@dataclass(frozen=True, slots=True)
class Item:
    """One message, without its framework. `position` is its place in the state.

    `foreign` is whatever has no place in a conversation (a system message that is not ours). `calls` are the ids of an
    assistant's tool calls in order, `answers` the call that a tool result belongs to. `lacking` marks a result that
    never came: `position` is then that of the assistant message that made the call.
    """

    position: int
    role: Role
    id: str | None = None
    calls: tuple[str, ...] = ()
    answers: str = ""
    empty: bool = False
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A customer's message and all that follows it, up to the next one. An opening has no customer's message."""

    items: tuple[Item, ...]

    @property
    def opening(self) -> bool:
        return self.items[0].role != "customer"


@dataclass(frozen=True, slots=True)
class Healed:
    """A history that providers accept, what was left out of it and why."""

    items: tuple[Item, ...]
    dropped: dict[int, Why] = field(default_factory=dict)


def turns(items: Iterable[Item]) -> list[Turn]:
    """Whole turns, oldest first. Every customer message starts one, so an unanswered one can be folded, too."""
    grouped: list[list[Item]] = []
    for item in items:
        if item.role == "customer" or not grouped:
            grouped.append([])
        grouped[-1].append(item)
    return [Turn(tuple(group)) for group in grouped]


def heal(items: Iterable[Item]) -> Healed:
    """Each tool call is followed by its own results, by position; ids may repeat.

    Only results that stand directly behind their call count: an id proves nothing, since models reuse `call_1`. A call
    without a result gets a lacking one; a result without a call is dropped.
    """
    dropped: dict[int, Why] = {}
    speaking: list[Item] = []
    for item in items:
        if item.role == "foreign":
            dropped[item.position] = "foreign"
        elif item.role == "assistant" and item.empty and not item.calls:
            dropped[item.position] = "empty"
        else:
            speaking.append(item)
    healed: list[Item] = []
    index = 0
    while index < len(speaking):
        item = speaking[index]
        index += 1
        if item.role == "tool":
            dropped[item.position] = "orphan"
            continue
        healed.append(item)
        if item.calls:
            end = index
            while end < len(speaking) and speaking[end].role == "tool":
                end += 1
            paired, orphans = _pair(item, speaking[index:end])
            healed += paired
            dropped |= dict.fromkeys(orphans, "orphan")
            index = end
    return Healed(tuple(healed), dropped)


def _pair(call: Item, results: Sequence[Item]) -> tuple[list[Item], list[int]]:
    """The results of one message's calls, in the order of the calls; and the positions that belong to none."""
    left = list(results)
    paired: list[Item] = []
    for wanted in call.calls:
        found = next((result for result in left if result.answers == wanted), None)
        if found is None:
            paired.append(Item(call.position, "tool", answers=wanted, lacking=True))
        else:
            left.remove(found)
            paired.append(found)
    return paired, [result.position for result in left]


def cuts(history: Sequence[Turn]) -> list[int]:
    """How many of the oldest turns can be removed by id without touching a turn that stays: all such numbers.

    The reducer removes by id, every message that has it: an id that also stands in a kept turn would take that
    message, too, and a message without an id can't be removed at all.
    """
    last: dict[str | None, int] = {item.id: at for at, turn in enumerate(history) for item in turn.items}
    found: list[int] = []
    reach = 0  # the last turn that has an id of those so far
    for at, turn in enumerate(history):
        if any(item.id is None for item in turn.items):
            break
        reach = max(reach, *(last[item.id] for item in turn.items))
        if reach == at:
            found.append(at + 1)
    return found
