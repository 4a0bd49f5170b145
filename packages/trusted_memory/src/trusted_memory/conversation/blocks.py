"""Data inside a request: delimited blocks that their own content cannot close or forge, each within its share."""

import re
from collections.abc import Mapping, Sequence

from trusted_memory.conversation.fitting import most
from trusted_memory.conversation.reduce import CountText, reduce_text

TAGS = ("just_now", "memory", "summary", "earlier", "opening", "steps", "transcript")
# What nobody sees: Unicode's category Cf, variation selectors, joiners and fillers. A model reads past them.
INVISIBLE = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_NAMES = "|".join(f"[{INVISIBLE}]*".join(tag) for tag in TAGS)
# Blanks, slashes and invisible characters around and within the name would still read as a delimiter to a model, and so
# would the full-width and the small "<".
_LOOKALIKE = re.compile(rf"[<\uff1c\ufe64](?=[\s/\\{INVISIBLE}]*(?:{_NAMES})(?:\b|[{INVISIBLE}]))", re.IGNORECASE)


def inert(text: str) -> str:
    """The text with delimiter look-alikes made harmless; everything else is untouched."""
    return _LOOKALIKE.sub("(", text) if "<" in text or not text.isascii() else text


def block(tag: str, text: str) -> str:
    """Data between its delimiters; nothing for nothing."""
    if tag not in TAGS:
        raise ValueError(f"{tag!r} is not a block of a request; there are {', '.join(TAGS)}")
    return f"<{tag}>\n{inert(text)}\n</{tag}>" if text.strip() else ""


def fact_blocks(facts: Mapping[str, str], room: int, count: CountText) -> tuple[list[str], dict[str, int]]:
    """The blocks of facts within their common room, and how many lines of each were left out.

    They come in the order of TAGS, so what was stored just now goes before what is remembered.
    """
    shown: list[str] = []
    left_out: dict[str, int] = {}
    for tag in sorted(facts, key=TAGS.index):
        text, left = _first_lines(tag, facts[tag], room, count)
        if text:
            shown.append(text)
            room -= count(text)
        if left:
            left_out[tag] = left
    return shown, left_out


def _first_lines(tag: str, text: str, room: int, count: CountText) -> tuple[str, int]:
    lines = text.strip().splitlines()

    def shown(kept: int) -> str:
        left = len(lines) - kept
        return block(tag, "\n".join([*lines[:kept], *([f"[{left} more left out]"] if left else [])]))

    kept = most(len(lines), lambda kept: count(shown(kept)) <= room)
    return shown(kept) if kept else "", len(lines) - kept


def summary_block(summary: str, pinned: Sequence[str]) -> str:
    """The rolling summary with the identifiers that it left out; empty if there is nothing to show."""
    kept = "\n".join(f"- {entry}" for entry in pinned)
    parts = [summary.strip(), f"Word for word:\n{kept}" if kept else ""]
    return block("summary", "\n".join(part for part in parts if part))


def summary_within(summary: str, pinned: Sequence[str], room: int, count: CountText) -> str:
    """The summary block within its room, also when the state was edited by hand to hold more."""
    shown = summary_block(summary, pinned)
    if count(shown) <= room:
        return shown
    kept: list[str] = []
    for entry in reversed(pinned):
        if count(summary_block("", [entry, *kept])) <= room // 2:
            kept.insert(0, entry)
    left = room - count(summary_block(".", kept))
    shown = summary_block(reduce_text(summary.strip(), max(left, 1), "", "", count), kept)
    return shown if count(shown) <= room else summary_block(summary.strip()[: room // 4], [])
