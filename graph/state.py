"""The state of a conversation: plain and small, so that it survives strict msgpack, Studio's edits and a redeploy."""

from collections.abc import Mapping
from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.graph import MessagesState
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

Update = dict[str, Any]  # what a node changes of the state


class Input(TypedDict):
    """What a client may send: messages."""

    messages: Annotated[list[AnyMessage], add_messages]


class State(MessagesState):
    """`summary` is bounded; `pinned` are identifiers that the summary would lose; `turn` is this turn's notes.

    Nothing here proves who said what: sources are read from the transcript.
    """

    summary: str
    pinned: list[str]
    turn: dict[str, Any]


class MemoryState(TypedDict, total=False):
    """The background graph's state: the notes of one reading."""

    turn: dict[str, Any]


def last_report(state: Mapping[str, Any]) -> dict[str, Any]:
    """The report of the turn before this one, whatever somebody who edited the state has left of it."""
    turn = state.get("turn")
    report = turn.get("report") if isinstance(turn, dict) else None
    return report if isinstance(report, dict) else {}
