"""What a summary must neither lose nor make up: identifiers, amounts, dates and addresses, found without a model."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from trusted_memory.conversation.fitting import most

_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_CURRENCY = r"(?:[$€£¥₹]|USD|EUR|GBP|CHF|JPY|INR)"
# Every repetition is bounded: a megabyte of "aaaa" or "1,1,1," must not take quadratic time.
_NUMBER = r"\d{1,15}(?:[.,\u00a0\u202f '\u2019]\d{3}){0,5}(?:[.,]\d{1,2})?"
_EXACT = re.compile(
    "|".join(
        (
            r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}",  # e-mail address
            r"(?<!\w)\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?",  # ISO date, with its time
            r"(?<!\w)\d{1,2}[./]\d{1,2}[./]\d{2,4}(?!\w)",  # 30.11.2026, 11/30/2026
            rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?",  # May 20th, 2026
            rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}\b(?: \d{{4}}\b)?",  # 20 May 2026
            rf"{_CURRENCY} ?{_NUMBER}(?!\w)",  # $1,200.50
            rf"(?<!\w){_NUMBER} ?(?:{_CURRENCY}(?!\w)|(?:dollars?|euros?|pounds?)\b)",  # 1 200 EUR, 12 dollars
            r"(?<![\w-])\+?\d[\d ()/-]{6,20}\d(?!\w)",  # telephone or card number, written in groups
            r"(?<![\w-])#?(?=[\w-]{0,63}\d)\w[\w-]{3,63}(?!\w)",  # 4711-B, HAT136, credit_card_4421486, UUIDs
            r"(?<!\w)\d{1,15}(?:[.,]\d{1,15}){1,5}(?!\w)",  # 12.50, 1,200
        )
    ),
    re.IGNORECASE,
)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_WRITTEN = re.compile(rf"{_CURRENCY}|dollars?|euros?|pounds?|{_MONTH}|st|nd|rd|th|of", re.IGNORECASE)
_PROSE = re.compile(r"[^\W\d_]{4,}|[a-z]+|\d{1,2}(?:[ap]m|st|nd|rd|th)?")
_SEPARATOR = re.compile(r"(?<=\d)[.,\u00a0\u202f '\u2019](?=\d{3}(?!\d))")
_LONGEST = 64  # what is longer is a key or a picture, not something a customer would say
_CONTEXT = 32  # characters before an identifier that say what it is


@dataclass(frozen=True, slots=True)
class Exact:
    """One thing that must be kept word for word, with who said it and what stood before it."""

    text: str
    who: str
    before: str = ""

    @property
    def entry(self) -> str:
        """How it stands in the pinned list: `customer: my user ID is mia_li_3668`."""
        return f"{self.who}: {self.before}{self.text}"


def exact(text: str, who: str) -> list[Exact]:
    """Every identifier, amount, date and address of a text, in order, each once."""
    found: dict[str, Exact] = {}
    for match in _EXACT.finditer(text):
        word = match.group().strip(" ()/")
        if 2 < len(word) <= _LONGEST and word not in found:
            found[word] = Exact(word, who, _before(text[max(0, match.start() - _CONTEXT) : match.start()]))
    return list(found.values())


def _before(context: str) -> str:
    """The words that lead up to an identifier, from the last line break or sentence on."""
    line = re.split(r"[\n.!?]\s|\n", context)[-1]
    return line if len(line) < len(context) or len(context) < _CONTEXT else line.partition(" ")[2]


def holds(text: str, word: str) -> bool:
    """Whether the text has the word on its own: HAT13 is not in HAT136."""
    text, word = f" {text.casefold()} ", word.casefold()
    at = text.find(word)
    while at >= 0:
        if not (_joined(text[at - 1], word[0]) or _joined(word[-1], text[at + len(word)])):
            return True
        at = text.find(word, at + 1)
    return False


def _joined(left: str, right: str) -> bool:
    return (left.isalnum() or left == "_") and (right.isalnum() or right == "_")


@dataclass(frozen=True, slots=True)
class Kept:
    """The new pinned list, and the words that are neither there nor in the summary."""

    pinned: list[str]
    out: list[str]


def keep(summary: str, pinned: Sequence[str], found: Iterable[Exact], fits: Callable[[Sequence[str]], bool]) -> Kept:
    """The pinned list for a new summary: what that left out of `found` and of the earlier list, as long as it fits.

    What the customer and the assistant said goes before what a tool returned (its record is still in the tool), and
    newer before older.
    """
    wanted: dict[str, list[str]] = {}  # by entry, the words it is there for
    known: set[str] = set()
    for entry in pinned:
        words = [word.text for word in exact(entry, "")] or [entry]
        if not all(holds(summary, word) for word in words):
            wanted[entry] = words
            known.update(map(str.casefold, words))
    for word in found:
        if word.text.casefold() not in known and not holds(summary, word.text):
            known.add(word.text.casefold())
            wanted[word.entry] = [word.text]
    entries = list(wanted)
    ranked = sorted(range(len(entries)), key=lambda at: (entries[at].startswith("tool"), -at))
    room = most(len(ranked), lambda number: fits([entries[at] for at in sorted(ranked[:number])]))
    left = [entries[at] for at in sorted(ranked[:room])]
    shown = "\n".join([summary, *left])
    return Kept(left, [w for at in ranked[room:] for w in wanted[entries[at]] if not holds(shown, w)])


def grounded(summary: str, shown: str) -> str:
    """The summary without the lines that name an identifier, amount, date or address which `shown` does not have.

    Amounts and dates may be written another way than they were said; an identifier or an address may not.
    """
    said = {_plain(word.text) for word in exact(shown, "")}
    numbers = set(_numbers(shown))

    def known(word: str) -> bool:
        if holds(shown, word) or _plain(word) in said:
            return True
        if any(sign.isalpha() or sign == "@" for sign in _WRITTEN.sub("", word)):
            # "24-hour" and "9am-11am" are prose; HAT-999 is not.
            return all(_PROSE.fullmatch(part) or holds(shown, part) for part in word.split("-"))
        # "May 20th" may have become 2026-05-20: its day was said.
        return set(_numbers(word[8:] if _ISO.match(word) else word)) <= numbers

    return "\n".join(line for line in summary.splitlines() if all(known(word.text) for word in exact(line, "")))


def _plain(word: str) -> str:
    return "".join(filter(str.isalnum, word.casefold()))


def _numbers(text: str) -> list[str]:
    """Every number of a text: 1,200.50 is 1200 and 50, 09 is 9, and no cents are nothing."""
    return [number for found in re.findall(r"\d+", _SEPARATOR.sub("", text)) if (number := found.lstrip("0"))]
