"""How the messages of a turn are shown to the model: clean copies, each within its cap, calls beside their results."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from trusted_memory.conversation.blocks import inert
from trusted_memory.conversation.budget import Budget
from trusted_memory.conversation.caps import READABLE, Caps, squeeze
from trusted_memory.conversation.history import Item, Turn
from trusted_memory.conversation.messages import NO_PICTURE, calls_of, pictures_of, text_of
from trusted_memory.conversation.reduce import reduce_text
from trusted_memory.conversation.tokens import Count, counting

NO_RESULT = "(no result: the call was interrupted)"
NO_TEXT = "(empty)"


@dataclass(frozen=True)
class Shown:
    """A turn as it is sent, and which of its messages are not there in full."""

    messages: list[BaseMessage] = field(default_factory=list)
    reduced: list[dict[str, Any]] = field(default_factory=list)
    tokens: int = 0  # that it adds to a request


class Shower:
    """Shows turns of one state; what is too long is reduced to what the question is about."""

    def __init__(self, messages: Sequence[BaseMessage], question: str, budget: Budget, count: Count) -> None:
        self.caps = Caps(budget.tool_output, budget.tool_output, budget.message)
        self._turn = budget.keep
        self._messages = messages
        # A question of a megabyte asks about everything.
        self.question = question if len(question) <= 2_000 else question[:1_000] + question[-1_000:]
        self._count = counting(count)
        self._requests = count
        self._empty = count([], ())

    def earlier(self, turn: Turn) -> Shown:
        """A turn that was answered: one that alone takes what a fold leaves is shortened rather than soon folded."""
        shown = self.show(turn, self.caps)
        if shown.tokens <= self._turn:
            return shown
        found = squeeze(self.caps, READABLE, lambda caps: self.show(turn, caps).tokens <= self._turn)
        return self.show(turn, found) if found else shown

    def show(self, turn: Turn, caps: Caps) -> Shown:
        shown = Shown()
        latest = max((item.position for item in turn.items if item.calls), default=-1)
        pending: list[str] = []  # ids of the calls whose results come next
        for item in turn.items:
            message = self._messages[item.position]
            if item.lacking:
                shown.messages.append(ToolMessage(NO_RESULT, tool_call_id=pending.pop(0), status="error"))
            elif item.role == "tool":
                cap = caps.results if item.position > latest else caps.earlier_results
                shown.messages.append(self._result(item, message, pending.pop(0), cap, shown))
            elif item.role == "customer":
                shown.messages.append(self._customer(item, message, caps, shown))
            else:
                text = self._text(item, message, caps.message, shown)
                calls = self._calls(message, caps.message)
                pending = [str(call["id"]) for call in calls]
                shown.messages.append(AIMessage(text, tool_calls=calls, id=item.id))
        return replace(shown, tokens=self._requests(shown.messages, ()) - self._empty)

    def _customer(self, item: Item, message: BaseMessage, caps: Caps, shown: Shown) -> HumanMessage:
        text = self._text(item, message, caps.message, shown)
        pictures = pictures_of(message)
        if not pictures:
            return HumanMessage(text or NO_TEXT, id=item.id)
        if not caps.pictures:
            shown.reduced.append({"message": item.id, "role": "picture", "characters": 0, "shown": 0})
            return HumanMessage("\n".join([*([text] if text else []), *[NO_PICTURE] * len(pictures)]), id=item.id)
        return HumanMessage([*([{"type": "text", "text": text}] if text else []), *pictures], id=item.id)

    def _result(self, item: Item, message: BaseMessage, call: str, cap: int, shown: Shown) -> ToolMessage:
        text = self._text(item, message, cap, shown) or NO_TEXT
        failed = getattr(message, "status", "success") == "error"
        return ToolMessage(
            text, tool_call_id=call, id=item.id, name=message.name, status="error" if failed else "success"
        )

    def _text(self, item: Item, message: BaseMessage, cap: int, shown: Shown) -> str:
        whole = text_of(message)
        text = reduce_text(
            whole, cap, "" if item.role == "customer" else self.question, item.id or item.answers, self._count
        )
        if text != whole:
            shown.reduced.append({"message": item.id, "role": item.role, "characters": len(whole), "shown": len(text)})
        return text if text.strip() else ""  # providers refuse a blank content as they do an empty one

    def _calls(self, message: BaseMessage, cap: int) -> list[ToolCall]:
        """The calls with ids that differ within the message, and arguments within the cap."""
        calls: list[ToolCall] = []
        taken: set[str] = set()
        for number, call in enumerate(calls_of(message)):
            name = call["id"] or f"call_{number}"
            if name in taken:
                name = f"{name}_{number}"
            taken.add(name)
            written = json.dumps(call["args"], ensure_ascii=False, default=str)
            args: dict[str, Any] = call["args"]
            if len(written) > cap and self._count(written) > cap:
                args = {"reduced": inert(reduce_text(written, cap, self.question, name, self._count))}
            calls.append(ToolCall(name=call["name"], args=args, id=name))
        return calls


def alternating(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Neighbours of the same speaker become one message: several chat templates refuse two in a row."""
    merged: list[BaseMessage] = []
    for message in messages:
        before = merged[-1] if merged else None
        if isinstance(message, HumanMessage) and isinstance(before, HumanMessage):
            merged[-1] = HumanMessage(_together(before, message), id=message.id)
        elif isinstance(message, AIMessage) and isinstance(before, AIMessage) and not before.tool_calls:
            merged[-1] = AIMessage(_together(before, message), tool_calls=message.tool_calls, id=message.id)
        else:
            merged.append(message)
    return merged


def headed(head: str, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages with data at the head of the first one, which is the customer's."""
    if not head or not messages:
        return list(messages)
    first = messages[0]
    content = _together(HumanMessage(head), first)
    return [HumanMessage(content, id=first.id), *messages[1:]]


def _together(first: BaseMessage, second: BaseMessage) -> Any:
    if isinstance(first.content, str) and isinstance(second.content, str):
        return "\n\n".join(text for text in (first.content, second.content) if text)
    return [*_as_blocks(first), *_as_blocks(second)]


def _as_blocks(message: BaseMessage) -> list[Any]:
    content = message.content
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
