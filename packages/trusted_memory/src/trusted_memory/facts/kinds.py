"""What a value can be, as plain data: for those who read messages, ask models, or show a form."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

KindName = Literal["option", "yes_no", "number", "date", "times", "email", "phone", "text", "union"]

_FORMS = {
    "yes_no": "yes | no",
    "date": "YYYY-MM-DD",
    "times": "HH:MM-HH:MM | from HH:MM | until HH:MM",
    "email": "email address",
    "phone": "phone number",
    "text": "text",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value can be.

    `options` has each option and what it means ("" where its name says it). A number or a date lies between `least` and
    `most`, or strictly `above` and `below`; None is no bound. A number is a multiple of `step`. `either` are the
    members of a union, in the order in which they are tried.
    """

    name: KindName
    options: tuple[tuple[str, str], ...] = ()
    least: Decimal | date | None = None
    most: Decimal | date | None = None
    above: Decimal | date | None = None
    below: Decimal | date | None = None
    step: Decimal | None = None
    either: tuple["Kind", ...] = ()

    @property
    def parts(self) -> tuple["Kind", ...]:
        """The members of a union; else the kind itself."""
        return self.either or (self,)

    @property
    def form(self) -> str:
        """How a value is written, in few words: `number 15 to 60 in steps of 0.5`."""
        if self.name == "union":
            return " | ".join(kind.form for kind in self.either)
        if self.name == "option":
            return " | ".join(option for option, _ in self.options)
        return self._named + self._between

    @property
    def _named(self) -> str:
        return _FORMS.get(self.name) or ("whole number" if self.step == 1 else "number")

    @property
    def _between(self) -> str:
        steps = f" in steps of {self.step}" if self.step not in (None, 1) else ""
        if self.least is not None and self.most is not None:
            return f" {self.least} to {self.most}{steps}"
        bounds = {"from": self.least, "above": self.above, "up to": self.most, "below": self.below}
        return "".join(f" {word} {bound}" for word, bound in bounds.items() if bound is not None) + steps


TEXT = Kind("text")
