"""How values are read: the whole of what is written, in the form that is stored, or not at all.

A part of it is never taken: "about 42", "10-12" and "42 EU" are no number. Pydantic checks what comes out of here
against the declared type and its bounds.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, Self

import phonenumbers
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from trusted_memory.facts.kinds import KindName

_CLOCK = r"(\d{1,2})[:.h](\d{2})"
_BETWEEN = re.compile(rf"{_CLOCK} ?[-\u2010-\u2014] ?{_CLOCK}", re.ASCII | re.IGNORECASE)
_OPEN = re.compile(rf"(?:(from|after)|until|before) {_CLOCK}", re.ASCII | re.IGNORECASE)
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d|24:00", re.ASCII)
_PHONE = re.compile(r"\(?(\+)?[ (]*\d[\d ()./\u2010-\u2014-]*")
_NUMBER = re.compile(r"[-\u2212]?(\d{1,15})(?:([.,])(\d{1,15}))?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_LITTLE = frozenset("a an the in on at by via with as during per every".split())
_ENDINGS = ("s", "es", "ly")
_LONG = 4  # letters; "ms" is no plural of the size M


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A part of one day, from `start` to `end` as `HH:MM`; None is an open side, and `24:00` an end at midnight.

    Raises ValueError for what is none: two open sides, or an end that isn't after the start.
    """

    start: str | None
    end: str | None

    def __post_init__(self) -> None:
        said = [time for time in (self.start, self.end) if time is not None]
        if not said or not all(map(_TIME.fullmatch, said)) or (self.start or "00:00") >= (self.end or "24:00"):
            raise ValueError(f"no range of times of day: {self.start} to {self.end}")

    def __str__(self) -> str:
        if self.start is None or self.end is None:
            return f"until {self.end}" if self.start is None else f"from {self.start}"
        return f"{self.start}-{self.end}"

    @classmethod
    def read(cls, said: "str | TimeRange") -> "TimeRange":
        """From `14:00-16:00`, `from 18:00` (or after), `until 12:00` (or before); `9.30` and `9h30` are 09:30."""
        if isinstance(said, TimeRange):
            return said
        if found := _BETWEEN.fullmatch(said):
            return cls(f"{found[1]:0>2}:{found[2]}", f"{found[3]:0>2}:{found[4]}")
        if found := _OPEN.fullmatch(said):
            time = f"{found[2]:0>2}:{found[3]}"
            return cls(time, None) if found[1] else cls(None, time)
        raise ValueError(f"no range of times of day: {said!r}")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.json_or_python_schema(
            core_schema.no_info_after_validator_function(cls.read, core_schema.str_schema()),
            core_schema.no_info_plain_validator_function(cls.read),
            serialization=core_schema.to_string_ser_schema(),
        )


class Phone(str):
    """A phone number: as E.164 (`+493012345`) where its country is known, else its digits as said.

    A country is known if the number has it, or if a subclass declares where numbers without one are from:
    `class GermanPhone(Phone): region = "DE"`. Raises ValueError for what is none.
    """

    __slots__ = ()
    region: ClassVar[str | None] = None

    @classmethod
    def read(cls, said: str) -> Self:
        shape = _PHONE.fullmatch(said)
        digits = phonenumbers.normalize_digits_only(said)
        if shape and shape[1]:
            if len(digits) >= 7 and (whole := _e164(said, None, phonenumbers.is_possible_number)):
                return cls(whole)
        elif shape and 5 <= len(digits) <= 15:
            abroad = _e164(f"+{digits[2:]}", None, phonenumbers.is_valid_number) if digits.startswith("00") else None
            at_home = _e164(said, cls.region, phonenumbers.is_valid_number) if cls.region else None
            return cls(abroad or at_home or digits)
        raise ValueError(f"no phone number: {said!r}")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls.read, core_schema.str_schema())


def _e164(said: str, region: str | None, sound: Callable[[phonenumbers.PhoneNumber], bool]) -> str | None:
    try:
        number = phonenumbers.parse(said, region)
    except phonenumbers.NumberParseException:
        return None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164) if sound(number) else None


def squeezed(name: str) -> str:
    """What of an option's name counts: neither case nor spaces, `_` and `-`."""
    return re.sub(r"[\s_-]", "", unicodedata.normalize("NFC", name.casefold()))


def option(said: str, names: Mapping[str, str]) -> str | None:
    """The option that is named, alone or behind little words ("by email"), with an ending ("mornings") or without.

    `names` has the options by their squeezed names. Any other word ("not morning", "morning or evening") may change
    the meaning, so with one the value can't be read.
    """
    words = said.split()
    while words:
        name = squeezed("".join(words))
        stems = [name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)]
        near = {names[stem] for stem in stems if len(stem) >= _LONG and stem in names}
        if name in names or len(near) == 1:
            return names.get(name) or near.pop()
        if words.pop(0).casefold() not in _LITTLE:
            return None
    return None


def number(said: str) -> Decimal | None:
    """A whole writing of one number, with a point or a comma.

    "1,000" and "1.000" may be a thousand or one: only "1.125", which is how this form would be stored, can be read.
    """
    found = _NUMBER.fullmatch(said)
    if found is None:
        return None
    whole, separator, part = found.groups()
    if separator and len(part) == 3 and len(whole) <= 3 and int(whole) and (separator == "," or int(part[-1]) == 0):
        return None
    return Decimal(said.replace(",", ".").replace("\u2212", "-"))


def digits(value: Decimal | float) -> str:
    """The number in digits, exactly, without zeros that say nothing."""
    plain = format(Decimal(str(value)), "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if plain == "-0" else plain


READ: Mapping[KindName, Callable[[str], Any]] = {
    "yes_no": lambda said: _YES_NO.get(said.casefold()),
    "number": number,
    "date": lambda said: date.fromisoformat(said) if _DATE.fullmatch(said) else None,
}
SHOWN: Mapping[KindName, Callable[[Any], str]] = {
    "yes_no": lambda yes: "yes" if yes else "no",
    "number": digits,
}
