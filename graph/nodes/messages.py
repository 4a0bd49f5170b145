"""LangChain messages ↔ the core's plain view of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from graph.core.blocks import inert
from graph.core.history import Item, Role

_IMAGES = ("image", "image_url")


def remembered(state: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The summary and the pinned list of a state, whatever an edit by hand has left there."""
    summary, pinned = state.get("summary"), state.get("pinned")
    entries = (
        [entry for entry in pinned if isinstance(entry, str) and entry.strip()] if isinstance(pinned, list) else []
    )
    return summary if isinstance(summary, str) else "", entries


def role_of(message: BaseMessage) -> Role:
    if isinstance(message, HumanMessage):
        return "customer"
    if isinstance(message, AIMessage):
        return "assistant"
    return "tool" if isinstance(message, ToolMessage) else "foreign"


def text_of(message: BaseMessage) -> str:
    """All text of a message, with a visible marker for what is not text and not a picture."""
    return "\n".join(part for part in map(_text, _blocks(message)) if part)


def pictures_of(message: BaseMessage) -> list[dict[str, Any]]:
    return [block for block in _blocks(message) if isinstance(block, dict) and block.get("type") in _IMAGES]


def items_of(messages: Sequence[BaseMessage]) -> list[Item]:
    return [
        Item(
            position,
            role_of(message),
            id=message.id,
            calls=tuple(call["id"] or "" for call in message.tool_calls) if isinstance(message, AIMessage) else (),
            answers=message.tool_call_id if isinstance(message, ToolMessage) else "",
            empty=not text_of(message).strip() and not pictures_of(message),
        )
        for position, message in enumerate(messages)
    ]


def calls_of(message: BaseMessage) -> list[ToolCall]:
    return list(message.tool_calls) if isinstance(message, AIMessage) else []


def said(message: BaseMessage) -> Iterator[tuple[str, str]]:
    """All of a message as text, with who said it: for a summarizer, or where it can't be shown as a message."""
    speakers = {"customer": "customer", "assistant": "assistant", "tool": f"tool {message.name or ''}".strip()}
    text = "\n".join([text_of(message), *["[a picture]" for _ in pictures_of(message)]]).strip()
    if text:
        yield speakers.get(role_of(message), "of unknown origin, unverified"), text
    for call in calls_of(message):
        yield f"assistant called {call['name']}", json.dumps(call["args"], ensure_ascii=False, default=str)


def _blocks(message: BaseMessage) -> list[str | dict[str, Any]]:
    # An edit through Studio can leave anything here, although the type says otherwise.
    content: Any = message.content
    if content is None:
        return []
    return content if isinstance(content, list) else [str(content)]


def _text(block: Any) -> str:
    if isinstance(block, str):
        text = block
    elif not isinstance(block, dict):
        text = str(block)
    elif "text" in block:
        text = str(block["text"] or "")
    elif block.get("type") in (*_IMAGES, "tool_use", "tool_call", "thinking", "reasoning"):
        text = ""
    else:
        text = f"[{block.get('type', 'something')} that can't be shown here]"
    # A lone surrogate can't be sent over the wire at all.
    return inert(text.encode("utf-8", "replace").decode("utf-8"))
