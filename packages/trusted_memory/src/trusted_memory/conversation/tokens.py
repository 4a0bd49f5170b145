"""Counting by whole requests, which is the only counter there is."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from trusted_memory.conversation.reduce import CountText

# Counts what a request takes: its messages and the tool schemas that travel with them.
Count = Callable[[Sequence[BaseMessage], Sequence[Any]], int]


def counting(count: Count) -> CountText:
    """The tokens of a bare text."""
    empty = count([HumanMessage("")], ())
    return lambda text: max(0, count([HumanMessage(text)], ()) - empty)


def within(messages: Sequence[BaseMessage], count: Count) -> int:
    """The tokens that messages add to a request."""
    return count(messages, ()) - count([], ())
