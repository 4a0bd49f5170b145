"""Review: conflicts that nothing orders, listed for people and settled by them; never through a customer's thread."""

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from trusted_memory.facts.evidence import read_among
from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import FactRecord, Statement, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.correct import desk_of
from trusted_memory.storage.erasure.remains import RIGHTS
from trusted_memory.storage.ids import subject_id, subject_of
from trusted_memory.storage.pool import Connection
from trusted_memory.storage.recall import evidence_of
from trusted_memory.storage.rows import brief, by_slot
from trusted_memory.storage.transcript import Message

THREAD = "#review"  # no host gives a conversation such a name


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a reviewer decides: one of the sides, a value nobody stated, or with None that none of them is right.

    `by` is desk:name; the desk is the operator's origin. `revision` is that of the conflict as it was listed. With a
    `source` of one's own it can be repeated: the second time changes nothing.
    """

    slot: str
    value: str | None
    by: str
    note: str = ""
    revision: int | None = None
    source: str | None = None

    @property
    def desk(self) -> str:
        return desk_of(self.by)

    @property
    def text(self) -> str:
        return " ".join(filter(None, [f"{self.by} settled {self.slot}.", self.note]))


class ConflictChanged(RuntimeError):
    """Somebody or something spoke meanwhile: what the reviewer looked at is not what would be settled."""


async def conflicts(
    connection: Connection,
    schema: Schema,
    *,
    now: datetime,
    tenant: str | None = None,
    after: str | None = None,
    most: int = 20,
) -> dict[str, Any]:
    """A page of open conflicts of all customers, oldest first, with all sides; `next` is the next page's `after`."""
    time, subject, slot = json.loads(after) if after else (None, None, None)
    ours = subject_id(Subject(tenant, "anybody")).partition(".")[0] if tenant else None
    params = {"tenant": ours, "time": time, "subject": subject, "slot": slot, "most": most}
    rows = await (await connection.execute(RIGHTS["conflicts"], params)).fetchall()
    keys = Jsonb([{"subject": row["subject"], "slot": row["slot"]} for row in rows])
    said: dict[str, list[dict[str, Any]]] = {}
    for statement in await (await connection.execute(RIGHTS["evidence_of_records"], {"records": keys})).fetchall():
        said.setdefault(statement["subject"], []).append(statement)
    evidence = {subject: by_slot(statements) for subject, statements in said.items()}
    found = []
    for row in rows:
        attribute, of = schema.get(row["attribute"]), evidence.get(row["subject"], {}).get(row["slot"])
        record = resolve(of, attribute, now) if attribute and of else None
        if record and record.status == "conflict":  # time may have settled it since
            found.append(_conflict(subject_of(row["subject"]), row, record))
    last = [rows[-1]["updated_at"].isoformat(), rows[-1]["subject"], rows[-1]["slot"]] if len(rows) == most else None
    return {"conflicts": found, "next": json.dumps(last) if last else None}


async def settle(committer: Committer, subject: Subject, settlement: Settlement, *, now: datetime) -> dict[str, Any]:
    """Settle a conflict; the result says what it changed. Raises ConflictChanged where it is not what was listed."""
    slot, desk, source = settlement.slot, settlement.desk, settlement.source or f"settlement:{uuid.uuid4()}"
    record, revision = await _look(committer, subject, slot, now)
    sides = record.standing if record and record.status == "conflict" else ()
    chosen = _key(committer.schema, slot, settlement.value, sides)
    retires = [s.id for s in sides if s.key != chosen]
    if not retires and not await _is_known(committer, subject, source):
        raise LookupError(f"{slot} of this customer is not in conflict: there is nothing to settle")
    if retires and settlement.revision not in (None, revision):
        raise ConflictChanged(f"{slot} has changed since it was listed: look at it again")

    async def recording(connection: Connection) -> None:
        row = await (await connection.execute(RIGHTS["revision"], _slot(subject, slot))).fetchone()
        if retires and (row is None or row["revision"] != revision):
            raise ConflictChanged(f"{slot} changed just now: look at it again")
        message = Message(source, THREAD, "operator", desk, now, settlement.text)
        await transcript.record(connection, subject, [message], committer.key())

    # A side needs no word of the reviewer's: it stands by its own statements, and goes when they are erased.
    stated = None if chosen in {s.key for s in sides} else settlement.value
    outcomes = await committer.settle(subject, slot, retires, stated, by=source, now=now, recording=recording)
    decision = outcomes[0].decision
    return {
        "decision": type(decision).__name__.lower(), "slot": slot, "by": settlement.by, "settlement": source,
        "before": brief(decision.before), "after": brief(decision.after),
    }  # fmt: skip


async def _look(committer: Committer, subject: Subject, slot: str, now: datetime) -> tuple[FactRecord | None, int]:
    attribute = committer.schema.get(slot.partition("=")[0])
    if attribute is None:
        raise LookupError(f"no attribute is called {slot!r}; there are: {', '.join(sorted(committer.schema))}")
    async with committer.database.connection() as connection:
        row = await (await connection.execute(RIGHTS["revision"], _slot(subject, slot))).fetchone()
        evidence = (await evidence_of(connection, subject, [slot])).get(slot, ())
    return resolve(evidence, attribute, now), row["revision"] if row else 0


def _slot(subject: Subject, slot: str) -> dict[str, str]:
    return {"subject": subject_id(subject), "slot": slot}


async def _is_known(committer: Committer, subject: Subject, source: str) -> bool:
    async with committer.database.connection() as connection:
        return bool(
            await transcript.known(connection, subject, [source])
            or await transcript.erased(connection, subject, [source], committer.key())
        )


def _key(schema: Schema, slot: str, value: str | None, sides: Iterable[Statement]) -> str | None:
    if value is None:
        return None
    attribute = schema[slot.partition("=")[0]]
    read = read_among(sides, attribute, value)
    if read is None:
        raise ValueError(
            f"{value!r} can't be a value of {slot}; for example: {', '.join(attribute.examples) or 'a text'}"
        )
    return read[1]


def _conflict(subject: Subject, row: dict[str, Any], record: FactRecord) -> dict[str, Any]:
    sides: dict[str | None, list[Statement]] = {}
    for s in record.standing:
        sides.setdefault(s.key, []).append(s)
    return {
        "tenant": subject.tenant, "user": subject.user, "slot": row["slot"], "attribute": row["attribute"],
        "since": row["updated_at"].isoformat(), "revision": row["revision"],
        "sides": [
            {"value": said[-1].value, "support": len({s.source for s in said}), "statements": [_shown(s) for s in said]}
            for said in sides.values()
        ],
    }  # fmt: skip


def _shown(s: Statement) -> dict[str, Any]:
    return {
        "statement": [s.source, s.ordinal], "said_by": s.kind, "origin": s.origin,
        "said_at": s.observed_at.isoformat(), "quote": s.quote,
    }  # fmt: skip
