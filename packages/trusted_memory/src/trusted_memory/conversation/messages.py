"""LangChain messages ↔ the core's plain view of them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from trusted_memory.conversation.blocks import inert
from trusted_memory.conversation.fold import Line
from trusted_memory.conversation.history import Item, Role, Turn
from trusted_memory.conversation.reduce import CountText, reduce_text
from trusted_memory.facts.words import storable

Kept = TypeVar("Kept", bound=BaseMessage)

NO_PICTURE = "[a picture that can't be shown here]"
# Characters of a picture inside the request, some 6 MB of a file, and of a link to one. A model spends tokens on what a
# picture shows, not on its bytes, so a flat rate stands for each; what is larger is no photo that a customer sends.
LARGEST_PICTURE = 8_000_000
LONGEST_LINK = 4_096
_IMAGES = ("image", "image_url")
_DETAILS = ("auto", "low", "high")
_INLINE = re.compile(r"data:image/[\w.+-]+;base64,(?=.)", re.ASCII)
_LINK = re.compile(r"(?i:https?)://[!-~]+")


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
    """All text of a message, with a visible marker for what is neither text nor a picture that can be sent."""
    return "\n".join(part for part in map(_text, _blocks(message)) if part)


def pictures_of(message: BaseMessage) -> list[dict[str, Any]]:
    """The pictures that can be sent, made anew of nothing but what a client knows; `text_of` has a marker for others.

    A client raises for what it can't send: that would end the conversation, as the message stays in it.
    """
    return [picture for block in _blocks(message) if (picture := _picture(block))]


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


def keepable(reply: AIMessage) -> AIMessage:
    """The reply with calls that a checkpoint can keep: numbers beyond 64 bits as text, no lone surrogates."""
    calls: list[ToolCall] = _keepable(reply.tool_calls)
    return reply if calls == reply.tool_calls else reply.model_copy(update={"tool_calls": calls})


def said(message: BaseMessage) -> Iterator[tuple[str, str]]:
    """All of a message as text, with who said it: for a summarizer, or where it can't be shown as a message."""
    speakers = {"customer": "customer", "assistant": "assistant", "tool": f"tool {message.name or ''}".strip()}
    text = "\n".join([text_of(message), *["[a picture]" for _ in pictures_of(message)]]).strip()
    if text:
        yield speakers.get(role_of(message), "of unknown origin, unverified"), text
    for call in calls_of(message):
        yield f"assistant called {call['name']}", json.dumps(call["args"], ensure_ascii=False, default=str)


def lines_of(history: Iterable[Turn], messages: Sequence[BaseMessage]) -> list[Line]:
    """All that was said in these turns, in order; a result that never came says nothing."""
    return [
        Line(at, who, text, str(messages[item.position].id))
        for at, turn in enumerate(history)
        for item in turn.items
        if not item.lacking
        for who, text in said(messages[item.position])
    ]


def _keepable(value: Any) -> Any:
    if isinstance(value, dict):
        return {_keepable(key): _keepable(held) for key, held in value.items()}
    if isinstance(value, list):
        return [_keepable(held) for held in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _blocks(message: BaseMessage) -> list[str | dict[str, Any]]:
    # An edit through Studio can leave anything here, although the type says otherwise.
    content: Any = message.content
    if content is None:
        return []
    return content if isinstance(content, list) else [str(content)]


def _picture(block: Any) -> dict[str, Any] | None:
    """The picture of a block, in whichever of LangChain's and OpenAI's forms it came; None if there is none to send."""
    if not isinstance(block, dict) or block.get("type") not in _IMAGES:
        return None
    told = block.get("image_url", block)
    told = told if isinstance(told, dict) else {"url": told}
    url, data = told.get("url"), told.get("base64", told.get("data"))
    if url is None and isinstance(data, str):
        url = f"data:{told.get('mime_type')};base64,{data}"
    if not isinstance(url, str) or not _can_be_sent(url):
        return None
    detail = told.get("detail")
    return {"type": "image_url", "image_url": {"url": url} | ({"detail": detail} if detail in _DETAILS else {})}


def _can_be_sent(url: str) -> bool:
    if url.startswith("data:"):
        return len(url) <= LARGEST_PICTURE and url.isascii() and bool(_INLINE.match(url))
    try:
        return len(url) <= LONGEST_LINK and bool(_LINK.fullmatch(url) and urlsplit(url).netloc)
    except ValueError:  # "http://["
        return False


def _text(block: Any) -> str:
    if isinstance(block, str):
        text = block
    elif not isinstance(block, dict):
        text = str(block)
    elif "text" in block:
        text = str(block["text"] or "")
    elif block.get("type") in _IMAGES:
        text = "" if _picture(block) else NO_PICTURE
    elif block.get("type") in ("tool_use", "tool_call", "thinking", "reasoning"):
        text = ""
    else:
        text = f"[{block.get('type', 'something')} that can't be shown here]"
    # A lone surrogate can't be sent over the wire at all.
    return inert(text.encode("utf-8", "replace").decode("utf-8"))


def spoken(message: BaseMessage) -> str:
    """What the transcript keeps of a message: its text, and the calls of an assistant's."""
    calls = [f"[calls {c['name']}({c['args']})]" for c in calls_of(message)]
    return "\n".join([text_of(message), *calls]).strip()


def last_said(messages: Sequence[BaseMessage]) -> str:
    """The customer's newest words."""
    return next((text_of(m) for m in reversed(messages) if isinstance(m, HumanMessage)), "")


def answered(messages: Sequence[BaseMessage]) -> bool:
    """Nothing is left to answer: the last message is the assistant's, and it waits for no tool."""
    last = messages[-1] if messages else None
    return last is None or (isinstance(last, AIMessage) and not last.tool_calls)


def kept(message: Kept, cap: int, question: str, count: CountText) -> Kept:
    """The form that state keeps: storable, and within its cap in tokens; the transcript has the rest."""
    text = reduce_text(storable(spoken(message)), cap, question, str(message.id), count)
    if calls_of(message) or text == text_of(message):
        return message
    pictures = pictures_of(message)
    return message.model_copy(update={"content": [{"type": "text", "text": text}, *pictures] if pictures else text})
