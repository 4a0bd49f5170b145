"""A long text brought down to its cap: head, tail and what the question is about, with visible gaps."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from trusted_memory.conversation.fitting import most

CountText = Callable[[str], int]

_WORD = re.compile(r"\w+")
_BREAK = re.compile(r"(?<=[\n.!?;])\s+|(?<=[}\]],)\s*|\n")
_LONGEST_UNIT = 240  # characters; a tool's JSON is often one line of many kilobytes
_MOST_UNITS = 2_000  # a megabyte is cut into larger pieces rather than into a hundred thousand
_HEAD, _TAIL = 0.3, 0.15  # shares of the cap; the rest goes to what the question is about


def reduce_text(text: str, cap: int, question: str, reference: str, count: CountText) -> str:
    """`text` if it fits into `cap` tokens, else its head, its tail and the parts that share words with `question`.

    Each gap is marked, and the last line says how to read the rest: `read_more("reference")`, or where the text is no
    single message and has no reference, `search_transcript`. The result never exceeds the cap, except that the shortest
    marker is always there.
    """
    # Nothing has 40 characters a token, so a huge text need not be counted to be known as one.
    if len(text) <= cap * 40 and count(text) <= cap:
        return text
    how = f'read_more("{reference}") shows' if reference else "search_transcript finds"
    footer = f"\n[reduced from {len(text):,} characters; {how} the rest]"
    room = cap - count(footer)
    units = pieces(text, min(_LONGEST_UNIT, cap))
    order = _preference(units, question, room, count)
    kept = most(len(order), lambda number: count(_join(units, order[:number]) + footer) <= cap)
    best = _join(units, order[:kept]) if kept else _beginning(text, footer, cap, count)
    return (best + footer).lstrip("\n") if best else f"[left out; {how} it]"


def _beginning(text: str, footer: str, cap: int, count: CountText) -> str:
    """As much of the head as fits: a dense script can have more tokens in one unit than the cap allows."""

    def shown(end: int) -> str:
        return text[:end] + _gap([text[end:]])

    end = most(min(len(text), cap * 8), lambda end: count(shown(end) + footer) <= cap)
    return shown(end) if end else ""


def pieces(text: str, longest: int = _LONGEST_UNIT) -> list[str]:
    """The text in pieces that are worth keeping or leaving as a whole; joined, they are the text."""
    smallest = len(text) // _MOST_UNITS
    longest = max(longest, smallest, 1)
    units: list[str] = []
    start = 0
    for end in [*(found.end() for found in _BREAK.finditer(text)), len(text)]:
        if end - start <= smallest and end < len(text):
            continue
        units += (text[at : min(at + longest, end)] for at in range(start, end, longest))
        start = end
    return units


def _preference(units: Sequence[str], question: str, room: int, count: CountText) -> list[int]:
    """Unit numbers, the most wanted first: head, tail, then by shared words, then onwards from the head."""
    head = _within(range(len(units)), units, int(room * _HEAD), count)
    tail = _within(range(len(units) - 1, -1, -1), units, int(room * _TAIL), count)
    return list(dict.fromkeys([0, *head, *tail, *relevant(units, question), *range(len(units))]))


def relevant(units: Sequence[str], question: str) -> list[int]:
    """The numbers of the units that share words with the question, first those that share its rarest words."""
    asked = terms(question)
    found = [terms(unit) & asked for unit in units] if asked else []
    common = Counter(term for hits in found for term in hits)
    scores = {at: sum(1 / common[term] for term in hits) for at, hits in enumerate(found) if hits}
    return sorted(scores, key=lambda at: (-scores[at], at))


def _within(numbers: Sequence[int], units: Sequence[str], room: int, count: CountText) -> list[int]:
    taken: list[int] = []
    for number in numbers:
        room -= count(units[number])
        if room < 0:
            break
        taken.append(number)
    return taken


def _join(units: Sequence[str], chosen: Sequence[int]) -> str:
    parts: list[str] = []
    after = 0
    for at in sorted(chosen):
        if at > after:
            parts.append(_gap(units[after:at]))
        parts.append(units[at])
        after = at + 1
    if after < len(units):
        parts.append(_gap(units[after:]))
    return "".join(parts)


def _gap(left_out: Sequence[str]) -> str:
    return f"\n[… {sum(map(len, left_out)):,} characters left out …]\n"


def terms(text: str) -> set[str]:
    """What texts are compared by: words of three letters and more; of other scripts, pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if word.isascii():
            if len(word) > 2:
                found.add(word)
        else:
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return found
