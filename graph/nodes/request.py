"""One model request, assembled from state without touching it, and proven to fit before it is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage

from graph.core.blocks import block, fact_blocks, summary_within
from graph.core.budget import Budget, RequestTooLarge
from graph.core.excerpt import excerpt
from graph.core.history import Healed, Turn, heal, turns
from graph.core.reduce import CountText, reduce_text
from graph.nodes.draft import Draft
from graph.nodes.messages import items_of, lines_of, text_of
from graph.nodes.squeeze import squeeze_current
from graph.nodes.tokens import Count, counting
from graph.nodes.view import Shower

_LEAST_EXCERPT = 60  # tokens; less than a line or two


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
