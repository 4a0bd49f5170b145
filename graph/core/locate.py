"""Where a quote stands in a message, exactly; and which parts of a message are not the sender's own words."""

import re
import unicodedata

Span = tuple[int, int]

_FOLDED = str.maketrans(
    dict.fromkeys("\u2019\u2018\u02bc\u00b4`\u201b", "'")
    | dict.fromkeys('"\u201c\u201d\u201e\u201f\u00ab\u00bb', "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
)
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


def derived_spans(text: str) -> list[Span]:
    """Lines quoted with ">", everything below a forwarding header, <blocks>, fences, pasted "Assistant: …" lines."""
    return [m.span() for m in _REPORTED.finditer(text)]


def find_quote(quote: str, text: str) -> list[Span]:
    """Every place where the quote stands as whole words; white space, case, accents and typography don't count."""
    wanted = fold(quote)[0].strip(_EDGES)
    folded, at = fold(text)
    found: list[Span] = []
    start = folded.find(wanted) if wanted else -1
    while start >= 0:
        end = start + len(wanted)
        if not (_inside(folded, start) or _inside(folded, end)):
            found.append((at[start], at[end - 1] + 1))
        start = folded.find(wanted, start + 1)
    return [(start, _whole(text, end)) for start, end in found]


def fold(text: str) -> tuple[str, list[int]]:
    """The text as quotes are compared, and for each of its characters where it stands in the original."""
    folded: list[str] = []
    at: list[int] = []
    for place, char in enumerate(text):
        for c in unicodedata.normalize("NFKD", char.translate(_FOLDED)).casefold():
            if unicodedata.category(c) in ("Mn", "Cf"):
                continue
            c = " " if c.isspace() else c  # noqa: PLW2901  # one folded character
            if c == " " and folded[-1:] == [" "]:
                continue
            folded.append(c)
            at.append(place)
    return "".join(folded), at


def _inside(folded: str, place: int) -> bool:
    """Whether the place lies within a word."""
    return 0 < place < len(folded) and folded[place - 1].isalnum() and folded[place].isalnum()


def _whole(text: str, end: int) -> int:
    """The end, behind combining marks that belong to the last character."""
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end
