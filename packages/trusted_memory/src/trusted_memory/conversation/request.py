"""One model request, assembled from state without touching it, and proven to fit before it is sent."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage

from trusted_memory.conversation.blocks import block, fact_blocks, summary_within
from trusted_memory.conversation.budget import Budget, RequestTooLarge
from trusted_memory.conversation.caps import READABLE, TIGHTEST, Caps, squeeze
from trusted_memory.conversation.excerpt import excerpt
from trusted_memory.conversation.history import Healed, Item, Turn, heal, turns
from trusted_memory.conversation.messages import items_of, lines_of, text_of
from trusted_memory.conversation.reduce import CountText, reduce_text
from trusted_memory.conversation.tokens import Count, counting
from trusted_memory.conversation.view import Shower, Shown, alternating, headed

_LEAST_EXCERPT = 60  # tokens; less than a line or two


@dataclass
class Draft:
    """A request in the making: what is in it so far, what that takes, and what can be left out of it."""

    instructions: str
    facts: Sequence[str]
    summary: str
    tools: Sequence[Any]
    limit: int
    count: Count
    earlier: str = ""  # excerpts of turns that are left out
    opening: str = ""  # what the assistant said before the customer's first message
    steps: str = ""  # notes of the current turn's first steps, where it is too long to be shown
    turns: list[Shown] = field(default_factory=list)

    def messages(self) -> list[BaseMessage]:
        head = "\n".join(part for part in (*self.facts, self.summary, self.earlier, self.opening, self.steps) if part)
        conversation = alternating([message for turn in self.turns for message in turn.messages])
        return [SystemMessage(self.instructions), *headed(head, conversation)]

    @property
    def shown(self) -> int:
        """How many turns of the history are in it, the opening included."""
        return len(self.turns) + bool(self.opening)

    def total(self) -> int:
        return self.count(self.messages(), self.tools)

    def fits(self) -> bool:
        return self.total() <= self.limit

    def choose(self, history: Sequence[Turn], shower: Shower) -> None:
        """Newest turns as long as their sum fits; at least the current one. An estimate; `fits` is the proof."""
        left = self.limit - self.total()
        for turn in reversed(history):
            shown = shower.earlier(turn) if self.turns else shower.show(turn, shower.caps)
            left -= shown.tokens
            if left < 0 and self.turns:
                return
            self.turns.insert(0, shown)

    def lighten(self) -> bool:
        """Leave out the oldest of what is shown; false if only the current turn is left."""
        if self.opening:
            self.opening = ""
        elif len(self.turns) > 1:
            del self.turns[0]
        else:
            return False
        return True

    def tokens(self, words: CountText) -> dict[str, int]:
        """What each section takes; together the total that was proven."""
        fixed = self.count([SystemMessage(self.instructions)], self.tools)
        instructions = self.count([SystemMessage(self.instructions)], ())
        facts = sum(words(text) for text in self.facts)
        summary, excerpts = words(self.summary), words(self.earlier)
        total = self.total()
        return {
            "instructions": instructions,
            "tools": fixed - instructions,
            "facts": facts,
            "summary": summary,
            "excerpts": excerpts,
            "conversation": total - fixed - facts - summary - excerpts,
            "total": total,
        }


class NoCustomerMessage(ValueError):
    """There is nobody to answer: the history holds no message of the customer."""


@dataclass(frozen=True)
class Request:
    """What to send, and the context report: what is in it, what is not, and what each part takes."""

    messages: list[BaseMessage]
    report: dict[str, Any]


def check_fixed(instructions: str, tools: Sequence[Any], budget: Budget, count: Count) -> int:
    """The tokens of the part that every request has; an error at start if it doesn't fit its share."""
    needed = count([SystemMessage(instructions)], tools)
    if needed > budget.instructions:
        then = "shorten them, or raise the budget's instructions and total"
        raise RequestTooLarge("the fixed part (instructions and tools)", needed, budget.instructions, then)
    return needed


def assemble(
    instructions: str,
    facts: Mapping[str, str],
    messages: Sequence[BaseMessage],
    *,
    summary: str,
    pinned: Sequence[str],
    tools: Sequence[Any],
    budget: Budget,
    count: Count,
) -> Request:
    """The request for this state: our system message, then as many whole turns as fit, the newest chosen first.

    `facts` are texts by block (`just_now`, `memory`), one fact a line. Oldest whole turns are left out of the view,
    never out of the state, until the whole request fits; only when the current turn alone is too large are its parts
    shortened beyond their caps.
    """
    words = counting(count)
    healed = heal(items_of(messages))
    history = turns(healed.items)
    if not history or history[-1].opening:
        raise NoCustomerMessage("no message of the customer is left in this conversation: send one, then ask again")
    known, unshown = fact_blocks(facts, budget.facts, words)
    told = summary_within(summary, pinned, budget.summary, words)
    draft = Draft(instructions, known, told, tools, budget.request, count)
    shower = Shower(messages, text_of(messages[history[-1].items[0].position]), budget, count)
    draft.choose([turn for turn in history if not turn.opening], shower)
    if history[0].opening and len(draft.turns) == len(history) - 1:
        draft.opening = _opening(history[0], messages, budget.message, words)
    while not draft.fits():
        if not draft.lighten():
            squeeze_current(draft, history[-1], shower, messages, words)
    left_out = _excerpts(draft, history, messages, shower.question, budget.summary - words(told), words)
    told_of = {"summary": bool(told), "pinned": len(pinned)}
    return Request(
        draft.messages(), _report(draft, words, healed, left_out) | {"folded": told_of, "facts_left_out": unshown}
    )


def _excerpts(
    draft: Draft, history: Sequence[Turn], messages: Sequence[BaseMessage], question: str, room: int, words: CountText
) -> Sequence[Turn]:
    """Puts excerpts of the turns that are left out into the room that the summary leaves; gives those turns.

    A summary that fails, or is still to be made, must not make the assistant forget what it is asked about.
    """
    if room < _LEAST_EXCERPT or draft.shown == len(history):
        return history[: len(history) - draft.shown]
    while draft.total() > draft.limit - room and draft.lighten():
        pass
    left_out = history[: len(history) - draft.shown]
    room = min(room, draft.limit - draft.total())
    draft.earlier = excerpt(lines_of(left_out, messages), question, room, words)
    if not draft.fits():
        draft.earlier = ""  # the rest was proven to fit
    return left_out


def _opening(turn: Turn, messages: Sequence[BaseMessage], cap: int, words: CountText) -> str:
    """What came before the customer's first message, as data: some templates refuse to begin with the assistant."""
    text = "".join(line.text for line in lines_of([turn], messages))
    return block("opening", reduce_text(text.strip(), cap, "", "", words))


def _report(draft: Draft, words: CountText, healed: Healed, left_out: Sequence[Turn]) -> dict[str, Any]:
    healing = list(healed.dropped.values())
    return {
        "limit": draft.limit,
        "tokens": draft.tokens(words),
        "kept": {"turns": len(draft.turns), "messages": sum(len(turn.messages) for turn in draft.turns)},
        "reduced": [entry for turn in draft.turns for entry in turn.reduced],
        "dropped": {"turns": len(left_out), "messages": sum(len(turn.items) for turn in left_out)},
        "healed": {"without_result": sum(item.lacking for item in healed.items)}
        | {why: healing.count(why) for why in ("orphan", "foreign", "empty")},
        "steps_as_notes": bool(draft.steps),
    }


def squeeze_current(
    draft: Draft, current: Turn, shower: Shower, messages: Sequence[BaseMessage], words: CountText
) -> None:
    """Leaves the current turn in the draft as wide as the request allows; RequestTooLarge if no way fits."""
    steps = [at for at, item in enumerate(current.items) if item.role == "assistant"]
    starts = [1, *steps[1:]]  # where what is shown behind the customer's message begins; before it are notes

    def shortened(start: int, floor: Caps) -> Shown | None:
        kept = Turn((*current.items[:1], *current.items[start:]))
        draft.steps = _notes(current.items[1:start], messages, shower.caps.results, words)

        def fits(tighter: Caps) -> bool:
            draft.turns = [shower.show(kept, tighter)]
            return draft.fits()

        found = squeeze(shower.caps, floor, fits)
        return shower.show(kept, found) if found else None

    for floor in (READABLE, TIGHTEST):
        # A turn of 26 steps is known, which no shortening brings into 2,500 tokens.
        first = bisect_left(starts, True, key=lambda start, floor=floor: shortened(start, floor) is not None)  # type: ignore[misc]  # mypy infers no lambda that has a default
        if first < len(starts) and (shown := shortened(starts[first], floor)):
            draft.turns = [shown]
            return
    then = f"it has {len(current.items)} messages; raise the budget's total, or limit the steps of a turn"
    raise RequestTooLarge("the current turn, shortened as far as it goes,", draft.total(), draft.limit, then)


def _notes(steps: Sequence[Item], messages: Sequence[BaseMessage], cap: int, words: CountText) -> str:
    text = "".join(line.text for line in lines_of([Turn(tuple(steps))], messages))
    return block("steps", reduce_text(text.strip(), cap, "", "", words))
