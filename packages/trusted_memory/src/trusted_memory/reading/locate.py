"""Where a quote stands in a message, exactly; and which parts of a message are not the sender's own words."""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

Span = tuple[int, int]

PLACES = 8  # how many places of a quote, and of a value, are looked at: a text may hold it thousands of times
TEXTS = 8  # how many texts are remembered in the form in which they are compared, for the next claim on them

_FOLDED = str.maketrans(
    dict.fromkeys("\u2019\u2018\u02bc\u00b4`\u201b", "'")
    | dict.fromkeys('"\u201c\u201d\u201e\u201f\u00ab\u00bb', "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
)
_RUN = re.compile(r"[!-~]+(?: [!-~]+)*|.", re.DOTALL)  # ASCII folds as a whole, anything else by the character
_BORDER = re.compile(r"[\W_]")
_EDGES = " \t\n'\"().,;:!?\u2026-"

# Quoted, forwarded and pasted text. Whoever sends it reports it: it is a quote of a quote.
_REPORTED = re.compile(
    r"^[ \t]*>.*$"
    r"|^[ \t]*(?:assistant|agent|bot|system|ai|user|customer|human|summary|memory|memories|facts|notes)[ \t]*:.*$"
    r"|^[ \t]*(?:-{3,}[ \t]*(?:original|forwarded) message|begin forwarded message|on .{3,80} wrote:)(?s:.*)\Z"
    r"|<([a-z][\w-]*)(?:\s[^<>]*)?>(?s:.*?)(?:</\1\s*>|\Z)"
    r"|```(?s:.*?)(?:```|\Z)",
    re.IGNORECASE | re.MULTILINE,
)


def derived(place: Span, text: str) -> bool:
    """Whether any of the place lies in a part that is not the sender's own words.

    Lines quoted with ">", everything below a forwarding header, <blocks>, fences, pasted "Assistant: …" lines.
    """
    starts, ends = _reported(text)
    last = bisect_left(starts, place[1]) - 1  # of those that begin before the place ends
    return last >= 0 and place[0] < ends[last]


@lru_cache(maxsize=TEXTS)
def _reported(text: str) -> tuple[Sequence[int], Sequence[int]]:
    spans = [m.span() for m in _REPORTED.finditer(text)]
    return array("I", [start for start, _ in spans]), array("I", [end for _, end in spans])


def find_quote(quote: str, text: str) -> list[Span]:
    """The first places where the quote stands as whole words; white space, case, accents and typography don't count."""
    return list(islice(quote_places(quote, text), PLACES))


def quote_places(quote: str, text: str) -> Iterator[Span]:
    """Every place of a quote, in order."""
    wanted = fold(quote)[0].strip(_EDGES)
    folded, at = fold(text)
    start = folded.find(wanted) if wanted else -1
    while start >= 0:
        end, after = start + len(wanted), start + 1
        if _inside(folded, start):
            border = _BORDER.search(folded, after)
            after = border.start() if border else len(folded)
        elif not _inside(folded, end):
            yield at[start], _whole(text, at[end - 1] + 1)
        start = folded.find(wanted, after)


@lru_cache(maxsize=TEXTS)
def fold(text: str) -> tuple[str, Sequence[int]]:
    """The text as quotes are compared, and for each of its characters where it stands in the original."""
    folded: list[str] = []
    at = array("I")
    blank = False  # whether it ends in one
    for run in _RUN.finditer(text):
        found, place = run[0], run.start()
        if found.isascii() and not found.isspace():
            folded.append(found.translate(_FOLDED).casefold())
            at.extend(range(place, run.end()))
            blank = False
            continue
        for c in _characters(found):
            if not (blank and c == " "):
                blank = c == " "
                folded.append(c)
                at.append(place)
    return "".join(folded), at


@lru_cache(maxsize=4096)
def _characters(char: str) -> str:
    """What a character is compared as: one or more of them, or nothing."""
    found = unicodedata.normalize("NFKD", char.translate(_FOLDED)).casefold()
    return "".join(" " if c.isspace() else c for c in found if unicodedata.category(c) not in ("Mn", "Cf"))


def _inside(folded: str, place: int) -> bool:
    """Whether the place lies within a word."""
    return 0 < place < len(folded) and folded[place - 1].isalnum() and folded[place].isalnum()


def _whole(text: str, end: int) -> int:
    """The end, behind combining marks that belong to the last character."""
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end
