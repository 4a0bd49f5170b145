"""What a domain declares about its attributes. The schema is an argument of the core: forks change data, not logic."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from trusted_memory.facts.kinds import TEXT, Kind
from trusted_memory.facts.words import SourceKind

LONGEST = 1000  # characters of a value
LONGEST_NAME = 200  # where many values may hold, each names a slot, and names are indexed
JOINERS = ("\u200c", "\u200d")
JOINLESS = ("LATIN", "GREEK", "CYRILLIC", "COMBINING")  # "pea\u200dnuts" would be another allergy and look the same


def text(value: str) -> str | None:
    """Canonical form of free text: NFC, white space folded, nothing invisible; None if nothing is left.

    Controls are white space; marks of direction and other format characters go. The joiners stay with which Persian
    or Hindi words are spelled, between two letters of such a script.
    """
    seen = unicodedata.normalize("NFC", "".join(map(_visible, value)))
    around = zip(f" {seen}", seen, f"{seen[1:]} ", strict=False)
    kept = "".join(c for before, c, after in around if c not in JOINERS or (_joins(before) and _joins(after)))
    return " ".join(unicodedata.normalize("NFC", kept).split()) or None


def _visible(c: str) -> str:
    category = unicodedata.category(c)
    return " " if category == "Cc" else "" if category == "Cf" and c not in JOINERS else c


def _joins(c: str) -> bool:
    return unicodedata.category(c)[0] in "LM" and not unicodedata.name(c, "").startswith(JOINLESS)


def compared(shown: str) -> str:
    """What two values are compared by: neither case nor the way a letter is composed."""
    return unicodedata.normalize("NFC", shown.casefold())


@dataclass(frozen=True, slots=True)
class Attribute:
    """One thing worth remembering about a customer, and who may say it.

    `authority` lists groups of source kinds (`user`) or named origins (`tool:crm`), strongest group first. An origin
    that is named ranks where it is named, wherever its kind is listed. The assistant has no authority, ever.
    `canonical` turns a stated value into the form that is stored and shown, or None if it can't be read; two values
    are equal when their canonical forms are, ignoring case. `cues` are words that announce the attribute in a message.
    `kind` says what a value can be. With `look_twice` whoever reads messages looks again before a value is replaced or
    withdrawn. `same` says, of free text, what form a reader gives beside each value for telling which are the same.
    """

    name: str
    description: str
    authority: tuple[tuple[str, ...], ...] = (("user",),)
    many: bool = False
    within_origin: Literal["latest", "ask"] = "latest"
    between_origins: Literal["latest", "conflict"] = "latest"
    canonical: Callable[[str], str | None] = text
    cues: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    default_validity: timedelta | None = None
    kind: Kind = TEXT
    look_twice: bool = False
    same: str = ""
    ranks: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ranks: dict[str, int] = {}
        for rank, group in enumerate(self.authority):
            for entry in group:
                kind, _, origin = entry.partition(":")
                if kind not in ("user", "tool", "operator"):
                    raise ValueError(f"{self.name}: {entry!r} has no authority; only user, tool, operator can have it")
                if entry.endswith(":") or (origin and entry in ranks):
                    raise ValueError(f"{self.name}: {entry!r} is empty or named twice in the authority")
                ranks.setdefault(entry, rank)
        if not ranks:
            raise ValueError(f"{self.name}: nobody has authority over it")
        object.__setattr__(self, "ranks", ranks)

    def rank(self, kind: SourceKind, origin: str) -> int | None:
        """Index of the authority group of a source, 0 the strongest; None without authority."""
        return self.ranks.get(f"{kind}:{origin}", self.ranks.get(kind))

    @property
    def form(self) -> str:
        """How values are written, in few words for a model: `yes | no`, `YYYY-MM-DD`, `number 15 to 60`."""
        return self.kind.form

    def read(self, value: str, same: str | None = None) -> tuple[str, str] | None:
        """(canonical form, what is compared), or None if the value can't be read.

        A value that can't be stored, or is too long to be one, can't be read either. What is compared is the canonical
        form, or where the attribute has `same`, the form that is given here.
        """
        shown = self.canonical(value)
        if shown is None or not self._fits(shown):
            return None
        form = text(same) if self.same and same else None
        return shown, compared(form if form and self._fits(form) else shown)

    def _fits(self, form: str) -> bool:
        if not form.strip() or len(form) > (LONGEST_NAME if self.many else LONGEST):
            return False
        return not any(unicodedata.category(c) in ("Cc", "Cs") for c in form)

    def slot(self, key: str | None) -> str:
        """What statements compete for: the attribute, or attribute and value where many may hold."""
        return f"{self.name}={key}" if self.many else self.name


Schema = Mapping[str, Attribute]


def schema(attributes: Iterable[Attribute]) -> Schema:
    """Attributes by name; a name is a short identifier and unique."""
    named: dict[str, Attribute] = {}
    for attribute in attributes:
        if attribute.name in named:
            raise ValueError(f"attribute {attribute.name!r} is declared twice")
        if not attribute.name or "=" in attribute.name or attribute.name != attribute.name.strip():
            raise ValueError(f"{attribute.name!r} can't name an attribute: no '=' and no outer spaces")
        named[attribute.name] = attribute
    return named


@dataclass(frozen=True, slots=True)
class SystemOfRecord:
    """A tool whose result is a fact without a model: result field → attribute, under the system's name and version."""

    origin: str
    facts: Mapping[str, str]
    version: str | None = None
