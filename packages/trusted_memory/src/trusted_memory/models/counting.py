"""How many tokens a request takes, without the model's tokenizer: an estimate on the high side, in any script.

Measured against the tokenizers of Llama 3, Llama 4, Qwen, Mistral (tekken) and DeepSeek, the worst of the five each
time, on tau-bench and Schema-Guided dialogues, JSON, code, random bytes in hex and base64, emoji, and the translations
of Django into 87 languages. `count_tokens_approximately` (4 characters a token) gives 0.06 to 1.2 of the truth there.
"""

import json
import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    MessageLikeRepresentation,
    ToolMessage,
    UsageMetadata,
    convert_to_messages,
)
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

# A tokenizer knows English words of five letters whole; other languages in Latin script, capitals and invented words
# fall into pieces of two or three. Which of the two a text is, its function words tell.
ENGLISH = re.compile(r"\b(?:the|to|and|of|you|for|are|my|that|with|have|can|your|this|it|be|not)\b")
WORD = re.compile(r"[A-Za-z]+")
LONG_PIECE = re.compile(r"[A-Za-z]{1,5}")
SHORT_PIECE = re.compile(r"[A-Za-z]{1,3}")
OPAQUE = re.compile(r"[A-Za-z0-9+/_=-]{24,}")  # hashes, base64, long links: about one token a character
SINGLE = re.compile(r"[0-9\x00-\x08\x0e-\x1f\x7f]")  # Qwen and Mistral spend a token on each digit
MARK = re.compile(r"[!-/:-@\[-`{-~]")
GAP = re.compile(r"\s{2,}")
# Byte-level tokenizers never use more than a token a byte: that is the bound for every script not listed here. For
# these: characters, bytes each, tokens each as measured.
SCRIPTS = (
    (re.compile("[\u0080-\u024f\u0370-\u052f]"), 2, 1.05),  # accented Latin, Greek, Cyrillic
    (re.compile("[\u0590-\u077f]"), 2, 1.3),  # Hebrew, Arabic
    (re.compile("[\u0900-\u09ff]"), 3, 1.4),  # Devanagari, Bengali
    (re.compile("[\u0e00-\u0e7f\u2010-\u206f]"), 3, 1.1),  # Thai, typographic marks
    (re.compile("[\u1e00-\u1eff\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]"), 3, 1.4),  # Vietnamese, CJK, kana, hangul
)
PER_MESSAGE = 8  # role and delimiters in the chat templates
PER_REQUEST = 8  # start of text, start of the answer
WITH_TOOLS = 150  # how the templates tell a model to call tools
PER_IMAGE = 2_000
REMEMBERED = 8_000  # characters; longer texts are rare and would fill the memory


def count_text(text: str) -> int:
    """Tokens of a text, estimated high: 1.15 to 1.3 of the truth for English, at least 1.0 in every corpus."""
    return _known(text) if len(text) <= REMEMBERED else _count(text)


def _count(text: str) -> int:
    plain, runs = OPAQUE.subn(" ", text)
    tokens: float = len(text) - len(plain) + runs
    if len(ENGLISH.findall(plain)) >= 0.12 * len(WORD.findall(plain)):
        tokens += len(LONG_PIECE.findall(plain))
    else:
        tokens += 1.12 * len(SHORT_PIECE.findall(plain))
    tokens += len(SINGLE.findall(plain)) + 0.75 * len(MARK.findall(plain))
    tokens += sum(max(1, gap.count("\n")) + len(gap) / 8 for gap in GAP.findall(plain))
    if not plain.isascii():
        tokens += sum(len(c.encode("utf-8", "surrogatepass")) for c in plain if c >= "\x80")
        for script, size, weight in SCRIPTS:
            tokens -= (size - weight) * len(script.findall(plain))
    return math.ceil(tokens)


# A turn counts the same texts some 200 times (chosen, proven, reported, over the limit?): a third of its time.
_known = lru_cache(maxsize=4_096)(_count)


def count_tokens(messages: Iterable[MessageLikeRepresentation], tools: Sequence[BaseTool | dict[str, Any]] = ()) -> int:
    """Tokens of a whole request as it goes over the wire. Also fits langmem and `trim_messages` as their counter."""
    tokens = PER_REQUEST
    for message in messages:
        tokens += _message(message if isinstance(message, BaseMessage) else convert_to_messages([message])[0])
    if tools:
        tokens += WITH_TOOLS + count_text(json.dumps([convert_to_openai_tool(tool) for tool in tools]))
    return tokens


def _message(message: BaseMessage) -> int:
    blocks = [message.content] if isinstance(message.content, str) else message.content
    tokens = PER_MESSAGE + sum(_block(block) for block in blocks)
    if isinstance(message, AIMessage):
        tokens += sum(PER_MESSAGE + count_text(json.dumps([call["name"], call["args"]])) for call in message.tool_calls)
    if isinstance(message, ToolMessage):
        tokens += PER_MESSAGE
    return tokens


def _block(block: str | dict[str, Any]) -> int:
    if isinstance(block, str):
        return count_text(block)
    if block.get("type") == "text":
        return count_text(str(block.get("text", "")))
    if "image" in str(block.get("type")):
        return PER_IMAGE
    return count_text(json.dumps(block, default=str))


class Calibration:
    """Learns from the usage a server reports where the estimate is low, and scales the next ones up.

    It never scales down and never forgets: an English conversation, where the estimate is generous, says nothing about
    the Armenian one that follows. It never goes past 2 either, so that an absurd report can't starve a conversation.
    """

    LIMIT = 2.0
    SMALLEST = 300  # below this the template's fixed part says more than the text

    def __init__(self) -> None:
        self.ratio = 1.0

    def learn(self, estimated: int, usage: UsageMetadata | None) -> None:
        """Compare an estimate with what the server counted for the same request."""
        if usage and estimated >= self.SMALLEST:
            self.ratio = min(self.LIMIT, max(self.ratio, 1.02 * usage["input_tokens"] / estimated))

    def apply(self, estimated: int) -> int:
        """The estimate, scaled by what was learnt."""
        return math.ceil(estimated * self.ratio)
