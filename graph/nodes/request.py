"""One model request, assembled from state without touching it, and proven to fit before it is sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from graph.core.blocks import block, fact_blocks, summary_within
from graph.core.budget import Budget, RequestTooLarge
from graph.core.caps import SMALLEST, Caps, squeeze
from graph.core.history import Turn, heal, turns
from graph.core.reduce import CountText, reduce_text
from graph.nodes.messages import items_of, text_of
from graph.nodes.view import Shower, Shown, alternating, headed

# Counts what a request takes: its messages and the tool schemas that travel with them.
Count = Callable[[Sequence[BaseMessage], Sequence[Any]], int]


class NoCustomerMessage(ValueError):
    """There is nobody to answer: the history holds no message of the customer."""


@dataclass(frozen=True)
class Request:
    """What to send, and the context report: what is in it, what is not, and what each part takes."""

    messages: list[BaseMessage]
    report: dict[str, Any]


def counting(count: Count) -> CountText:
    """The tokens of a bare text, by the counter of whole requests."""
    empty = count([HumanMessage("")], ())
    return lambda text: max(0, count([HumanMessage(text)], ()) - empty)


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
    draft = _Draft(instructions, known, told, tools=tools, limit=budget.request, count=count)
    shower = Shower(messages, text_of(messages[history[-1].items[0].position]), words)
    caps = Caps(budget.tool_output, budget.tool_output, budget.message)
    draft.choose([turn for turn in history if not turn.opening], lambda turn: shower.show(turn, caps))
    if history[0].opening and len(draft.turns) == len(history) - 1:
        said = "\n".join(text_of(messages[item.position]) for item in history[0].items if not item.lacking)
        draft.opening = block("opening", reduce_text(said, budget.message, "", "opening", words))
    while not draft.fits():
        if not draft.lighten():
            draft.turns = [_squeezed(history[-1], shower, caps, draft)]
    left_out = history[: len(history) - len(draft.turns) - bool(draft.opening)]
    report = {
        "limit": budget.request,
        "tokens": draft.tokens(words),
        "kept": {"turns": len(draft.turns), "messages": sum(len(turn.messages) for turn in draft.turns)},
        "reduced": [entry for turn in draft.turns for entry in turn.reduced],
        "folded": {"summary": bool(summary.strip()), "pinned": len(pinned)},
        "dropped": {"turns": len(left_out), "messages": sum(len(turn.items) for turn in left_out), "facts": unshown},
        "healed": {
            "without_result": sum(item.lacking for item in healed.items),
            **{why: list(healed.dropped.values()).count(why) for why in ("orphan", "foreign", "empty")},
        },
    }
    return Request(draft.messages(), report)


@dataclass
class _Draft:
    """A request in the making."""

    instructions: str
    facts: Sequence[str]
    summary: str
    tools: Sequence[Any]
    limit: int
    count: Count
    opening: str = ""
    turns: list[Shown] = field(default_factory=list)

    def messages(self) -> list[BaseMessage]:
        head = "\n".join(part for part in (*self.facts, self.summary, self.opening) if part)
        conversation = alternating([message for turn in self.turns for message in turn.messages])
        return [SystemMessage(self.instructions), *headed(head, conversation)]

    def total(self) -> int:
        return self.count(self.messages(), self.tools)

    def fits(self) -> bool:
        return self.total() <= self.limit

    def choose(self, history: Sequence[Turn], show: Callable[[Turn], Shown]) -> None:
        """Newest turns as long as their sum fits; at least the current one. The sum is an estimate, `fits` is proof."""
        left = self.limit - self.total()
        nothing = self.count([], ())
        for turn in reversed(history):
            shown = show(turn)
            left -= self.count(shown.messages, ()) - nothing
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
        summary = words(self.summary)
        total = self.total()
        return {
            "instructions": instructions,
            "tools": fixed - instructions,
            "facts": facts,
            "summary": summary,
            "conversation": total - fixed - facts - summary,
            "total": total,
        }


def _squeezed(current: Turn, shower: Shower, caps: Caps, draft: _Draft) -> Shown:
    """The current turn, shortened until the request fits."""

    def fits(tighter: Caps) -> bool:
        draft.turns = [shower.show(current, tighter)]
        return draft.fits()

    found = squeeze(caps, fits)
    if found is None:
        draft.turns = [shower.show(current, Caps(SMALLEST, SMALLEST, SMALLEST, pictures=False))]
        then = (
            f"the current turn has {len(current.items)} messages; raise the budget's total or limit the steps of a turn"
        )
        raise RequestTooLarge(
            "the current turn, shortened as far as it goes, with its fixed part", draft.total(), draft.limit, then
        )
    return shower.show(current, found)
