"""Where a value stands in a text: its words in order, or words that the attribute's reader reads as that value."""

import re
from collections.abc import Iterator
from functools import lru_cache

from trusted_memory.facts.schema import Attribute
from trusted_memory.reading.hedges import NUMBERS
from trusted_memory.reading.locate import Span
from trusted_memory.reading.phrases import plain
from trusted_memory.reading.utterance import SPAN, WORD, reader

GAP = 2  # words of the text that the value may leave out: "two very lively kids" for "two kids"
REACH = 16  # words, of whatever kind, from one of the value to its next

TOKEN = re.compile(
    r"[^\W_]+(?=n['\u2019]t\b)|n['\u2019]t\b|(?:[ldjnscmt]|qu)['\u2019](?=\w)|[^\W_]+(?:['\u2019][^\W_]+)*",
    re.IGNORECASE,
)
DENIALS = frozenset(
    "n't not no never none without non nicht kein keine keinen nie ohne pas jamais sans nunca sin mai senza nao"
    " sem niet geen nooit"
    " zonder".split()
)
# Articles and helping verbs: words that a value may have and its text lacks.
LOOSE = frozenset(
    "a an the my der die das ein eine le la les un une el los las il lo o os um uma de het een"
    " is are am be do does did to".split()
)
ENDINGS = ("", "s", "es", "n", "en", "e", "d", "ed", "ing", "'s")
DIGITS = {word.strip(): str(n) for table in NUMBERS.values() for n, word in enumerate(table.split("|"))}

Token = tuple[str, int, int]


def place_value(value: str, attribute: Attribute, text: str, within: Span) -> Iterator[Span]:
    """Every place that the value follows from, its own words first."""
    found = _tokens(text, within)
    wanted = [t for t, *_ in _tokens(value, (0, len(value)))]
    while wanted and wanted[0] in LOOSE:
        wanted = wanted[1:]
    if any(t not in LOOSE and t not in DENIALS for t in wanted):  # a bare "no" is no value
        for start in range(len(found)):
            if (end := _follow(wanted, found, start)) is not None:
                yield found[start][1], found[end][2]
    if reader(attribute)[2] and (read := attribute.read(value)):
        yield from _runs(read[1], attribute, text, within)


def _runs(key: str, attribute: Attribute, text: str, within: Span) -> Iterator[Span]:
    """The shortest runs of words that the reader of a closed attribute reads as this value: "evenings", "abends"."""
    found = [m.span() for m in WORD.finditer(text, *within)]
    for size in range(1, SPAN + 1):
        runs = [(found[i][0], found[i + size - 1][1]) for i in range(len(found) - size + 1)]
        if hits := [run for run in runs if (read := attribute.read(text[run[0] : run[1]])) and read[1] == key]:
            yield from hits
            return


def _follow(wanted: list[str], found: list[Token], start: int) -> int | None:
    """Index of the last token if the wanted ones stand here in order, near each other, with no denial between."""
    at, last = start, None
    for token in wanted:
        reach = found[at : at + (1 if last is None else _reach(found, at))]
        hit = next((i for i, (word, *_) in enumerate(reach) if _same(token, word)), None)
        if hit is None or any(word in DENIALS for word, *_ in reach[:hit]):
            if token in LOOSE and last is not None:
                continue
            return None
        last = at + hit
        at = last + 1
    return last


def _reach(found: list[Token], at: int) -> int:
    """How many of the next words to look at: GAP and one, articles and helping verbs not counted."""
    counted = 0
    near = found[at : at + REACH]
    for i, (word, *_) in enumerate(near):
        counted += word not in LOOSE
        if counted > GAP:
            return i + 1
    return len(near)


@lru_cache(maxsize=1024)
def _same(wanted: str, word: str) -> bool:
    """The same word up to a regular ending; numbers exactly, written out or not; every denial is as good as"
    " another."""
    if wanted == word or (wanted in DENIALS and word in DENIALS):
        return True
    if DIGITS.get(wanted, wanted) == DIGITS.get(word, word):
        return True
    short, long = sorted((wanted, word), key=len)
    return len(short) >= 4 and short.isalpha() and long.startswith(short) and long[len(short) :] in ENDINGS


def _tokens(text: str, within: Span) -> list[Token]:
    """Words with their places. A hyphen within letters joins: e-mail is email."""
    tokens: list[Token] = []
    for match in TOKEN.finditer(text, *within):
        word, start = plain(match[0]), match.start()
        if tokens and word.isalpha() and len(tokens[-1][0]) == 1 and text[tokens[-1][2] : start] == "-":
            first = tokens.pop()
            word, start = first[0] + word, first[1]
        tokens.append((word, start, match.end()))
    return tokens
