"""How much room the recent turns take, and whether that calls for a fold."""

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from graph.core.budget import Budget
from graph.core.fold import due
from graph.core.history import Turn, cuts, heal, turns
from graph.nodes.messages import items_of
from graph.nodes.tokens import Count, within
from graph.nodes.view import Shower


def sizes(messages: Sequence[BaseMessage], history: Sequence[Turn], budget: Budget, count: Count) -> list[int]:
    """The tokens of each turn as it is shown: a megabyte that is shown by its head and tail is no reason to fold."""
    shower = Shower(messages, "", budget, count)
    shown = [shower.earlier(Turn(heal(turn.items).items)) for turn in history[:-1]]
    shown += [shower.show(Turn(heal(turn.items).items), shower.caps) for turn in history[-1:]]
    return [turn.tokens for turn in shown]


def to_fold(messages: Sequence[BaseMessage], trigger: int, budget: Budget, count: Count) -> list[Turn]:
    """The oldest turns that are to become summary once the recent ones take more than `trigger`."""
    # A quick look, on the high side: what is shown may be a little longer than what is kept, by marks and placeholders.
    if within(messages, count) * 5 // 4 + 40 * len(messages) <= trigger:
        return []
    history = turns(items_of(messages))
    return history[: due(sizes(messages, history, budget, count), cuts(history), trigger, budget.keep)]


def over_soft(messages: Sequence[BaseMessage], budget: Budget, count: Count) -> bool:
    """Whether to fold after the reply."""
    return bool(to_fold(messages, budget.soft, budget, count))


def over_hard(messages: Sequence[BaseMessage], budget: Budget, count: Count) -> bool:
    """Whether to fold before the call, on the response path."""
    return bool(to_fold(messages, budget.hard, budget, count))
