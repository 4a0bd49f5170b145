"""A long text in pieces, each within its tokens, cut where a paragraph, a line, a sentence or a word ends."""

import re
from collections.abc import Callable, Iterator

CUTS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?])\s+"), re.compile(r"\s+"))


def pieces(text: str, room: int, count: Callable[[str], int]) -> Iterator[str]:
    """Pieces that together are the text, in order; nothing for a blank text."""
    rest = text
    while rest.strip():
        if count(rest[: room * 8]) <= room and len(rest) <= room * 8:
            yield rest
            return
        size = min(len(rest), room * 8)
        while count(rest[:size]) > room and size > 1:
            size = max(1, size * room // max(room + 1, count(rest[:size])))
        at = _cut(rest, size)
        yield rest[:at]
        rest = rest[at:]


def _cut(text: str, most: int) -> int:
    """The last good place to cut in the second half of what fits."""
    for pattern in CUTS:
        ends = [m.end() for m in pattern.finditer(text, most // 2, most)]
        if ends:
            return ends[-1]
    return most
