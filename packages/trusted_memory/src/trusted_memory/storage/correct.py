"""Correcting what is believed, from the command line: in the customer's own words, or by an operator with authority."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trusted_memory.facts.batch import Reading
from trusted_memory.facts.evidence import read_among
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import CUSTOMER, Claim, Intent, SourceKind, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.erasure.remains import RIGHTS
from trusted_memory.storage.ids import subject_id
from trusted_memory.storage.pool import Connection
from trusted_memory.storage.rows import brief, to_statement
from trusted_memory.storage.transcript import Message

THREAD = "#command"  # no host gives a conversation such a name
EXTRACTOR = "command"  # no model reads a command


def desk_of(by: str) -> str:
    """The origin of an operator, who is named as desk:name: a desk has one voice, whoever sits there."""
    desk, _, name = by.partition(":")
    if not desk.strip() or not name.strip():
        raise ValueError(f"{by!r} names nobody: give --by desk:name")
    return desk


@dataclass(frozen=True, slots=True)
class Correction:
    """A value that holds instead, or one (of a single attribute: whatever it is) that is withdrawn.

    Without `by` it is the customer's own word: `said`, or the command itself. With `by` (desk:name) and no `said` it is
    an operator's, who needs authority over the attribute; with both, `by` has only taken down what the customer said.
    With a `source` of one's own it can be repeated: the second time changes nothing.
    """

    attribute: str
    value: str | None
    said: str | None = None
    by: str | None = None
    withdraw: bool = False
    source: str | None = None

    @property
    def by_operator(self) -> bool:
        return self.by is not None and self.said is None

    @property
    def origin(self) -> str:
        return desk_of(self.by or "") if self.by_operator else CUSTOMER

    @property
    def quote(self) -> str:
        value = f": {self.value}" if self.value is not None else ""
        return self.said or f"{'withdraw' if self.withdraw else 'correct'} {self.attribute}{value}"

    @property
    def thread(self) -> str:
        return f"{THREAD} taken down by {self.by}" if self.by and not self.by_operator else THREAD


async def correct(committer: Committer, subject: Subject, correction: Correction, *, now: datetime) -> dict[str, Any]:
    """Record a correction and commit it, in one transaction; the result says what it changed.

    What can't be accepted is refused before anything is recorded.
    """
    kind: SourceKind = "operator" if correction.by_operator else "user"
    _check(correction, committer.schema, kind)
    text = f"{correction.by}: {correction.quote}" if correction.by_operator else correction.quote
    source = correction.source or f"command:{uuid.uuid4()}"
    message = Message(source, correction.thread, kind, correction.origin, now, text)

    async def recording(connection: Connection) -> None:
        await transcript.record(connection, subject, [message], committer.key())

    intent: Intent = "retract" if correction.withdraw else "correct"
    same = await _same(committer, subject, correction)
    claim = Claim(correction.attribute, correction.value, transcript.storable(correction.quote), intent, same=same)
    outcomes = await committer.commit(
        subject, [Reading(source, (claim,))], extractor=EXTRACTOR, now=now, recording=recording
    )
    decision = outcomes[0].decision
    return {
        "decision": type(decision).__name__.lower(), "reason": getattr(decision, "reason", None),
        "attribute": correction.attribute, "message": source, "said_by": kind, "origin": correction.origin,
        "before": brief(decision.before), "after": brief(decision.after),
    }  # fmt: skip


async def _same(committer: Committer, subject: Subject, correction: Correction) -> str | None:
    """The form by which the value is compared that somebody named as it is shown to people."""
    attribute = committer.schema[correction.attribute]
    if not attribute.same or correction.value is None:
        return None
    params = {"subject": subject_id(subject), "attribute": attribute.name}
    async with committer.database.connection() as connection:
        rows = await (await connection.execute(RIGHTS["evidence_of_attribute"], params)).fetchall()
    read = read_among(map(to_statement, rows), attribute, correction.value)
    return read[1] if read else None


def _check(correction: Correction, schema: Schema, kind: SourceKind) -> None:
    name, value = correction.attribute, correction.value
    attribute = schema.get(name)
    if attribute is None:
        raise LookupError(f"no attribute is called {name!r}; there are: {', '.join(sorted(schema))}")
    if value is None and (attribute.many or not correction.withdraw):
        raise ValueError(f"which value of {name}? give --value")
    if value is not None and attribute.read(value) is None:
        raise ValueError(
            f"{value!r} can't be a value of {name}; for example: {', '.join(attribute.examples) or 'a text'}"
        )
    if correction.by is not None:
        desk_of(correction.by)
    if attribute.rank(kind, correction.origin) is None:
        who = f"an operator of {correction.origin!r}" if kind == "operator" else "the customer"
        allowed = ", ".join(entry for group in attribute.authority for entry in group)
        hint = (
            "; record the customer's own words with --said" if kind == "operator" and "user" in attribute.ranks else ""
        )
        raise ValueError(f"{who} has no authority over {name}, only {allowed}{hint}. Nothing was recorded.")
