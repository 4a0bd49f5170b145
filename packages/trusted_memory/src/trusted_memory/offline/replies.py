"""What the offline demo model says: answers from the blocks of a request, tool calls, and extractive summaries."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trusted_memory.models.counting import count_text
from trusted_memory.offline.understanding import claims, understands

Message = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What a model answers: text, and calls of tools with their arguments."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


def reply(request: Message) -> Reply:
    """The answer to a chat completion request, by what kind of request it is."""
    messages: list[Message] = request["messages"]
    newest = said(messages[-1])
    tools = {tool["function"]["name"] for tool in request.get("tools") or ()}
    if name := (request.get("response_format") or {}).get("json_schema", {}).get("name"):
        return Reply(json.dumps({"claims": claims(newest)} if name == "claims" else {}, ensure_ascii=False))
    if not tools and (_block("transcript", newest) or LANGMEM.search(newest)):
        return Reply(summary(messages, request.get("max_tokens") or 256))
    results = [said(message) for message in messages[_last(messages, "assistant") + 1 :] if message["role"] == "tool"]
    if results:
        return Reply(" ".join(_told(result) for result in results))
    return chat(messages, set() if request.get("tool_choice") == "none" else tools)


def said(message: Message) -> str:
    """The text of a message on the wire."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _last(messages: Sequence[Message], role: str) -> int:
    return max((n for n, message in enumerate(messages) if message["role"] == role), default=-1)


def _block(tag: str, text: str) -> str:
    match = re.search(rf"<{tag}>\n?(.*?)\n?</{tag}>", text, re.DOTALL)
    return match[1] if match else ""


# -- chat

BLOCKS = re.compile(r"<(\w+)>\n.*?\n</\1>\s*", re.DOTALL)
FACT = re.compile(r"^- (\w+): (.+?)(?: \(.*)?$", re.MULTILINE)
ASKED = {  # attribute → what a question about it looks like, and how the answer is put
    "preferred_name": (r"my name|call me|who am i", "You like to be called {}."),
    "delivery_window": (r"deliver(?!\w* address)|arrive|window|slot", "You prefer deliveries {}."),
    "delivery_address": (r"address|ship to|deliver to", "Your delivery address is {}."),
    "contact_channel": (r"contact|reach me|get in touch|notif|channel", "We contact you by {}."),
    "shoe_size": (r"shoe|boot|sneaker|trainer", "Your shoe size is {}."),
    "clothing_size": (r"cloth|shirt|jacket|dress\b|trousers", "Your clothing size is {}."),
    "allergy": (r"allerg|intoleran", "You are allergic to {}."),
    "account_tier": (r"tier|membership|account status", "Your account tier is {}."),
}
PENDING = "I will look at that; it is not stored yet."
THANKS = "Thank you for telling me. What else can I do for you?"
LOST = "I did not understand that, and nothing was changed."
COURTESY = re.compile(
    r"\W*(?:(?:ok(?:ay)?|yes|no|sure|great|fine|perfect|thanks|thank you|cheers|bye|goodbye)\b"
    r"(?: (?:very much|so much|a lot|that's all|all good))?\W*)+",
    re.IGNORECASE,
)
HAPPENED = (  # a line of <just_now>, and how it is told
    (r"(?:stored|confirmed) (\w+): (.+)", "I have noted your {}: {}."),
    (r"replaced (\w+): (.+?)(?: \(was .*)?$", "I have changed your {} to {}."),
    (r"retracted (\w+): ?(.*)", "I have forgotten your {}."),
    (r"conflict (\w+): (.+)", "About your {} I have contradictory information: {}. Which is right?"),
    (r"not stored (\w+): (.+)", "I could not note your {}: {}."),
    (r"(pending)(.*)", PENDING),
)
QUESTION = re.compile(r"\?|^(?:what|when|where|who|how|which|do you|am i|tell me|remind me)\b", re.IGNORECASE)
CALLS = (  # what the customer says → tool, and the argument that its group fills
    (r"\border\b.*?\b([A-Z]{1,3}-\d{3,})\b|^\W*([A-Z]{1,3}-\d{3,})\W*$", "order_detail", "order_id"),
    (r"\b(?:change|update|set|move) (?:my |the )?(?:[a-z]+ )?address to (.+)", "change_address", "new_address"),
    (r"\bmy (?:new )?(?:delivery |shipping |home )?address is (?:now )?(.+)", "change_address", "new_address"),
    (r"\bmy account\b|\bmy (?:\w+ )?tier\b|\bwhat tier\b|\b(?:what|which)\b.*\baddress\b", "look_up_account", ""),
    (r"\border(?:s|ed)?\b.*?\b(?:for|with|of|containing|about) (?:the |my |some )?(.+)", "search_orders", "query"),
    (
        r"\b(?:find|search|show|list|see|what are|my (?:last|recent|latest)) (?:\w+ )*?orders?\b",
        "search_orders",
        "query",
    ),
    (r"\bwhat (?:have|did) i order", "search_orders", "query"),
)
POLITENESS = re.compile(r"[\s,]*\b(?:please|thanks|thank you)?[\s.!?]*$", re.IGNORECASE)
HINT = re.compile(
    r"\bi(?:'m| am) .*\b(?:home|in|free|around) (?:in|during) the (morning|afternoon|evening)", re.IGNORECASE
)


def chat(messages: Sequence[Message], tools: set[str]) -> Reply:
    """An answer to the customer's newest message."""
    head = next((said(message) for message in messages if message["role"] == "user"), "")
    words = BLOCKS.sub("", said(messages[_last(messages, "user")])).strip()
    for pattern, tool, argument in CALLS:
        if tool in tools and (match := re.search(pattern, words, re.IGNORECASE)):
            value = POLITENESS.sub("", next((group for group in match.groups() if group), ""))
            return Reply(calls=((tool, {argument: value} if argument else {}),))
    asked = _last(messages, "assistant")
    read = understands(words, said(messages[asked]) if asked >= 0 else "")
    facts, parts = _facts(_block("memory", head)), _happened(_block("just_now", head))
    if not read and PENDING in parts:  # nothing will come of it
        parts.remove(PENDING)
    if QUESTION.search(words):
        parts += _answers(words, facts, _block("summary", head)) or ([] if parts else ["I don't know that."])
    elif hint := HINT.search(words):
        parts.append(f"Shall I note {hint[1].lower()} as your delivery window?")
    elif not parts and re.match(r"\W*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b", words, re.IGNORECASE):
        parts.append(f"Hello{''.join(' ' + name for name in facts.get('preferred_name', []))}! How can I help?")
    elif not parts:
        parts.append("What else can I do for you?" if COURTESY.fullmatch(words) else THANKS if read else LOST)
    return Reply(" ".join(parts))


def _facts(memory: str) -> dict[str, list[str]]:
    facts: dict[str, list[str]] = {}
    for attribute, value in FACT.findall(memory):  # a fact in conflict is not to be used
        if value.startswith("in conflict"):
            continue
        facts.setdefault(attribute, []).append(value)
    return facts


def _happened(just_now: str) -> list[str]:
    told: list[str] = []
    for line in just_now.splitlines():
        for pattern, words in HAPPENED:
            if match := re.match(rf"-? ?{pattern}", line):
                told.append(words.format(match[1].replace("_", " "), match[2]))
                break
    return told


def _answers(words: str, facts: dict[str, list[str]], summary_so_far: str) -> list[str]:
    if re.search(r"\b(?:know|remember) about me\b|\bwhat do you (?:know|remember)\b", words, re.IGNORECASE):
        return [_put(a, facts[a]) for a in ASKED if a in facts] or ["I don't know anything about you yet."]
    if (
        re.search(r"\b(?:talk|discuss|spoke|say|said|mention\w*|earlier|so far)\b", words, re.IGNORECASE)
        and summary_so_far
    ):
        return [f"Earlier in this conversation: {summary_so_far}"]
    asked = [a for a, (pattern, _) in ASKED.items() if re.search(rf"\b(?:{pattern})", words, re.IGNORECASE)]
    return [_put(a, facts[a]) if a in facts else f"I don't know your {a.replace('_', ' ')} yet." for a in asked]


def _put(attribute: str, values: list[str]) -> str:
    shown = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
    if attribute == "delivery_window":
        shown = f"in the {shown}" if shown.isalpha() else shown if shown[:1].isalpha() else f"at {shown}"
    return ASKED[attribute][1].format(shown)


def _told(result: str) -> str:
    """A tool's result in words."""
    try:
        data = json.loads(result)
    except json.JSONDecodeError:
        return result[:600]
    orders = data.get("orders") if isinstance(data, dict) else None
    if isinstance(orders, list):
        listed = "; ".join(_fields(order) for order in orders[:3])
        return f"I found {len(orders)} orders" + (f": {listed}." if listed else ".")
    return f"The system says: {_fields(data)}."


def _fields(data: Any) -> str:
    if not isinstance(data, dict):
        return str(data)[:300]
    return ", ".join(
        f"{key.replace('_', ' ')} {value}" for key, value in data.items() if value not in (None, "", True, False)
    )


# -- summaries

LANGMEM = re.compile(
    r"^Create a summary of the conversation above|Extend this summary by taking into account", re.MULTILINE
)
EARLIER = re.compile(r"so far: (.*?)\n\nExtend this summary", re.DOTALL)
IMPORTANT = re.compile(
    r"\d|@|\b(?:not|instead|actually|change\w*|allerg\w+|decid\w+|agree\w*|must|deadline|promise\w*|owner|refund)\b",
    re.IGNORECASE,
)
SPEAKERS = {"user": "customer", "assistant": "assistant", "tool": "tool"}


def summary(messages: Sequence[Message], room: int) -> str:
    """Lines copied from what was shown, within `room` tokens: figures and corrections first, then the latest."""
    newest = said(messages[-1])
    if transcript := _block("transcript", newest):
        earlier = [_block("summary", said(message)) for message in messages]
        shown = "\n".join([*earlier, transcript])
    else:
        known = EARLIER.search(newest)
        told = [f"{SPEAKERS[m['role']]}: {said(m)}" for m in messages[:-1] if m["role"] in SPEAKERS]
        shown = "\n".join([known[1] if known else "", *told])
    lines = list(dict.fromkeys(line.strip() for line in shown.splitlines() if line.strip()))
    chosen: set[int] = set()
    for number in sorted(range(len(lines)), key=lambda n: (not IMPORTANT.search(lines[n]), -n)):
        cost = count_text(lines[number]) + 1
        if cost < room:
            chosen.add(number)
            room -= cost
    return "\n".join(lines[number] for number in sorted(chosen)) or "Nothing of note."
