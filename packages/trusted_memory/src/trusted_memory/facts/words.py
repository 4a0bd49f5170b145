"""The words of the project as types. Plain frozen values: no I/O, no clock, no framework.

Times are timezone-aware datetimes. Identity has no default anywhere.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

CUSTOMER = "customer"  # the origin of what a customer says

SourceKind = Literal["user", "tool", "assistant", "operator"]
Intent = Literal["state", "correct", "retract", "settle"]
Status = Literal["active", "conflict", "retracted"]
Reason = Literal[
    # found by extraction, before the claim is read against the schema
    "quote_not_found",
    "about_somebody_else",
    "derived",
    "instruction",
    # not admissible: the claim never becomes evidence
    "unknown_attribute",
    "unreadable_value",
    "not_accepted",
    "no_authority",
    # admissible and kept as evidence, but it changes nothing
    "expired",
    "not_yet_valid",
    "outranked",
    "covered",
    "not_held",
    "stale",
]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose facts these are: the unit of isolation and of locking."""

    tenant: str
    user: str

    def __post_init__(self) -> None:
        if not self.tenant or not self.user:
            raise ValueError("a subject needs a tenant and a user; neither has a default")
        if any("\ud800" <= c <= "\udfff" for c in self.tenant + self.user):
            raise ValueError("the ids of a tenant and a user hold no lone surrogates; they could not be stored")


@dataclass(frozen=True, slots=True)
class Source:
    """One observed event. `origin` is `customer` or the name of the system of record."""

    id: str
    kind: SourceKind
    origin: str
    version: int | None
    observed_at: datetime
    text: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """What the extractor thinks a message says; not yet believed.

    `accepts` is the id of the assistant message whose proposal the customer accepted. `same` is the form by which the
    value is compared, where its attribute asks for one: `peanut` for "peanuts" and for "peanut allergy".
    """

    attribute: str
    value: str | None
    quote: str = ""
    intent: Intent = "state"
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    accepts: str | None = None
    found: Reason | None = None  # what extraction already found wrong with it
    same: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """An admissible claim bound to its source: one piece of evidence.

    Identified by (source, slot, ordinal). `value` is the canonical form shown to people, `key` what is compared;
    both are None for a withdrawal of everything. A settlement is a statement with the intent `settle`: it `retires`
    the losing statements, named by (source, ordinal), and carries the losers' `rank`. `carries` counts the sources
    that a statement stands for besides its own, where older agreeing ones are not loaded (bounded.py).
    """

    source: str
    ordinal: int
    kind: SourceKind
    origin: str
    version: int | None
    observed_at: datetime
    attribute: str
    slot: str
    value: str | None
    key: str | None
    intent: Intent = "state"
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    accepts: str | None = None
    quote: str = ""
    retires: tuple[tuple[str, int], ...] = ()
    rank: int | None = None
    carries: int = 0

    @property
    def id(self) -> tuple[str, int]:
        return self.source, self.ordinal


@dataclass(frozen=True, slots=True)
class FactRecord:
    """One slot: its evidence and what follows from it now.

    `value` is set while active, `values` (sorted, all sides) while in conflict. `standing` are the statements the
    belief rests on, `support` the number of their distinct sources. `rank` is the authority group that counts.
    `changes_at` is the next moment at which time alone may change the answer.
    """

    slot: str
    attribute: str
    status: Status
    value: str | None = None
    values: tuple[str, ...] = ()
    support: int = 0
    standing: tuple[Statement, ...] = ()
    rank: int = 0
    temporary: bool = False
    changes_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Insert:
    statement: Statement
    before: FactRecord | None
    after: FactRecord


@dataclass(frozen=True, slots=True)
class NoOp:
    """Counted already, or erased: then there is no statement to name."""

    statement: Statement | None
    before: FactRecord | None
    after: FactRecord | None


@dataclass(frozen=True, slots=True)
class Merge:
    statement: Statement
    before: FactRecord
    after: FactRecord


@dataclass(frozen=True, slots=True)
class Replace:
    statement: Statement
    before: FactRecord
    after: FactRecord


@dataclass(frozen=True, slots=True)
class Retract:
    """The value is withdrawn; or a settlement retired every side, and then there is no record after it."""

    statement: Statement
    before: FactRecord | None
    after: FactRecord | None


@dataclass(frozen=True, slots=True)
class Conflict:
    statement: Statement
    before: FactRecord | None
    after: FactRecord


@dataclass(frozen=True, slots=True)
class Reject:
    """Nothing changes. `statement` is None where the claim was not admissible: then it is no evidence either."""

    reason: Reason
    claim: Claim | None = None
    statement: Statement | None = None
    before: FactRecord | None = None
    after: FactRecord | None = None


Decision = Insert | NoOp | Merge | Replace | Retract | Conflict | Reject


def storable(text: str) -> str:
    """What PostgreSQL can keep: NUL and lone surrogates become the replacement character."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
