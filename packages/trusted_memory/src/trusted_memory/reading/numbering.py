"""Messages as the extraction model sees them: numbered, a few together, a long one in pieces."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trusted_memory.facts.schema import Schema
from trusted_memory.models.counting import count_text
from trusted_memory.reading.answer import MOST
from trusted_memory.reading.ground import Numbered, Proposed, speaks_of_time, states
from trusted_memory.reading.locate import find_quote

TOGETHER = 4  # customer messages in one request: small models lose track of more
PIECE = 1_500  # tokens of one message, or piece of it, in a request
CONTEXT = 600  # characters of the assistant's message before: enough for what it proposed last
CUTS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?])\s+"), re.compile(r"\s+"))
LINE = 60  # tokens of a line's number, sender and time, generously


@dataclass(frozen=True, slots=True)
class Part:
    """A customer's message, or a piece of it, and the assistant's message right before."""

    message: Numbered
    before: Numbered | None
    text: str

    @property
    def tokens(self) -> int:
        before = count_text(self.before.text[-CONTEXT:]) + LINE if self.before else 0
        return before + count_text(self.text) + LINE


class Request:
    """Numbered lines, and which message each number stands for."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = list(parts)
        self.lines: list[str] = []
        self.customers: dict[int, Part] = {}
        self.assistants: list[int] = []
        for part in parts:
            if part.before is not None:
                self._add("assistant", part.before, part.before.text[-CONTEXT:])
                self.assistants.append(len(self.lines))
            self._add("customer", part.message, part.text)
            self.customers[len(self.lines)] = part

    def _add(self, who: str, message: Numbered, text: str) -> None:
        """Later lines are indented: a message cannot forge another one's number."""
        when = message.observed_at.isoformat(timespec="seconds")
        self.lines.append(f"[{len(self.lines) + 1}] {who} ({when}): " + "\n  ".join(text.splitlines()))

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.message.id for part in self.parts))

    @property
    def dated(self) -> bool:
        return any(speaks_of_time(part.text) for part in self.parts)

    @property
    def most(self) -> int:
        """Claims that so many words can hold. Without a bound, a small model that loops fills its whole reply."""
        return min(MOST, sum(3 + len(part.text.split()) // 6 for part in self.parts))

    def one_by_one(self) -> list["Request"]:
        return [Request([part]) for part in self.parts]

    def homes(self, said: Sequence[tuple[int, Proposed]]) -> list[tuple[Part | None, Proposed]]:
        return [(self._home(number, claim.quote), claim) for number, claim in said]

    def _home(self, number: int, quote: str) -> Part | None:
        """The message that a claim names; where its quote stands only in one other, that one."""
        named = self.customers.get(number)
        if named is None or not find_quote(quote, named.message.text):
            others = {p.message.id: p for p in self.parts if find_quote(quote, p.message.text)}
            if len(others) == 1:
                return next(iter(others.values()))
        return named


def requests(messages: Sequence[Numbered], schema: Schema, room: int) -> Iterator[Request]:
    """Customer messages that can state anything, a few together as far as they fit."""
    together: list[Part] = []
    for part in _parts(messages, schema, room):
        if together and (len(together) >= TOGETHER or sum(p.tokens for p in together) + part.tokens > room):
            yield Request(together)
            together = []
        together.append(part)
    if together:
        yield Request(together)


def _parts(messages: Sequence[Numbered], schema: Schema, room: int) -> Iterator[Part]:
    before: Numbered | None = None
    for message in messages:
        if message.kind == "user":
            if states(message, before, schema):
                taken = Part(message, before, "").tokens
                if taken > room // 2:
                    before, taken = None, LINE
                for piece in pieces(message.text, min(PIECE, room - taken), count_text):
                    yield Part(message, before, piece)
            before = None
        elif message.kind == "assistant":
            before = message


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
