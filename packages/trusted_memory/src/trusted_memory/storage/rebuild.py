"""Records from the statements alone: rebuild them, check them, and move them to another schema.

A changed schema is a command away: `recanonicalize` gives attributes their new names and values their new canonical
form, as they were stated or else as they were read then, and rebuilds. The ledger keeps what was decided under the old
one.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import FactRecord
from trusted_memory.storage.pool import Connection, Database
from trusted_memory.storage.rows import by_slot, fact_value, record_row
from trusted_memory.storage.sql import QUERIES, jsonb, named

REBUILD = named("rebuild.sql")
PAGE = 500  # subjects looked up at a time
TIMEOUT = "60s"  # for a subject's lock; rebuilding may run beside the product


@dataclass(frozen=True, slots=True)
class _Held:
    """What is stored about one subject, and what its statements say."""

    sid: str
    records: dict[str, dict[str, Any]]
    facts: dict[str, dict[str, Any]]
    wanted: dict[str, tuple[dict[str, Any], FactRecord | None]]
    misread: frozenset[str]  # slots of which ordinary commits read what says something else than all of it

    def stale(self) -> list[str]:
        """Slots whose record or fact is not what the statements say."""
        slots = self.records.keys() | self.facts.keys() | self.wanted.keys()
        return sorted(slot for slot in slots if not self._sound(slot))

    def _sound(self, slot: str) -> bool:
        if slot in self.misread:
            return False
        row, record = self.wanted.get(slot, ({}, None))
        fact = fact_value(record, row["revision"]) if record and record.status == "active" else None
        held = self.records.get(slot, {})  # a slot that nothing is said about has no record, or an empty one
        return self.facts.get(slot) == fact and (held.get("status", "none"), held.get("changes_at")) == (
            row.get("status", "none"),
            record.changes_at if record else None,
        )


async def subjects(database: Database) -> AsyncIterator[str]:
    """All subject ids, in order."""
    after = ""
    while True:
        async with database.connection() as connection:
            rows = await (await connection.execute(REBUILD["subjects"], {"after": after, "most": PAGE})).fetchall()
        for row in rows:
            yield row["subject"]
        if len(rows) < PAGE:
            return
        after = rows[-1]["subject"]


@asynccontextmanager
async def _locked(database: Database, sid: str) -> AsyncIterator[Connection]:
    async with database.connection() as connection, connection.transaction():
        await connection.execute(QUERIES["lock"], {"subject": sid, "timeout": TIMEOUT})
        yield connection


async def _hold(connection: Connection, sid: str, schema: Schema, now: datetime) -> _Held:
    async def rows(name: str) -> list[dict[str, Any]]:
        return await (await connection.execute(REBUILD[name], {"subject": sid})).fetchall()

    records = {row["slot"]: row for row in await rows("records")}
    facts = {row["slot"]: row["value"] for row in await rows("facts")}
    statements = await rows("statements")
    live = by_slot({**row, "carries": row["carried"]} for row in statements if row["live"])
    wanted, misread = {}, set[str]()
    for slot, evidence in by_slot(statements).items():
        attribute = schema.get(evidence[0].attribute)
        record = resolve(evidence, attribute, now) if attribute else None
        if attribute and _says(resolve(live.get(slot, ()), attribute, now)) != _says(record):
            misread.add(slot)
        # A record that was lost gets the revision that its statements remember.
        remembered = max(row["revision"] or 1 for row in statements if row["slot"] == slot)
        revision = records.get(slot, {}).get("revision", remembered)
        wanted[slot] = (record_row(slot, evidence, record, revision), record)
    return _Held(sid, records, facts, wanted, frozenset(misread))


def _says(record: FactRecord | None) -> object:
    return record and (record.status, record.value, record.values, record.support)


async def rebuild(database: Database, schema: Schema, *, now: datetime) -> int:
    """Make records and facts what the statements say; returns how many were not. On a sound database that is 0."""
    changed = 0
    async for sid in subjects(database):
        async with _locked(database, sid) as connection:
            changed += await _mend(connection, await _hold(connection, sid, schema, now))
    return changed


async def _mend(connection: Connection, held: _Held) -> int:
    stale = held.stale()
    rows, facts = [], []
    for slot in stale:
        if slot in held.wanted:
            row, record = held.wanted[slot]
            rows.append(row)
            if record and record.status == "active":
                facts.append({"key": slot, "value": fact_value(record, row["revision"])})
    kept = {fact["key"] for fact in facts}
    if stale:
        written = {"records": rows, "facts": facts, "gone": [slot for slot in stale if slot not in kept]}
        lost = [slot for slot in stale if slot not in held.wanted]
        await connection.execute(QUERIES["apply"], {"subject": held.sid, "batch": jsonb(written)})
        await connection.execute(REBUILD["drop_records"], {"subject": held.sid, "slots": lost})
        await connection.execute(QUERIES["unbound"], {"subject": held.sid, "slots": stale})
    return len(stale)


async def check(database: Database, schema: Schema, *, now: datetime) -> list[str]:
    """Violations of F1, F4 and F5 in the whole database, a sentence each.

    A record whose time has come but which was not swept yet is none: recall resolves it again.
    """
    problems: list[str] = []
    async for sid in subjects(database):
        async with _locked(database, sid) as connection:
            held = await _hold(connection, sid, schema, now)
            due = {slot for slot, r in held.records.items() if r["changes_at"] and r["changes_at"] <= now}
            problems += [f"{sid}: {_what_to_do(slot, schema)}" for slot in held.stale() if slot not in due]
            for name, broken in (
                ("undecided", "no row in the ledger (F5)"),
                ("unquoted", "no such quote in its message (F4)"),
            ):
                for row in await (await connection.execute(REBUILD[name], {"subject": sid})).fetchall():
                    problems.append(
                        f"{sid}: the statement {row['ordinal']} of {row['source']!r} on {row['slot']} has {broken}"
                    )
    return problems


def _what_to_do(slot: str, schema: Schema) -> str:
    """Of a record that is not what it should be. Rebuilding one of a renamed attribute would only drop it."""
    attribute = slot.partition("=")[0]
    if attribute in schema:
        return f"{slot} is not what its statements say; run `python -m graph rebuild`"
    move = f"run `python -m graph recanonicalize --rename {attribute}=NEW`"
    return f"{slot} is of an attribute that domain.py doesn't have; if it has another name now, {move}"


async def recanonicalize(
    database: Database, schema: Schema, renamed: Mapping[str, str], *, now: datetime
) -> tuple[int, list[str]]:
    """Move all statements to this schema and rebuild; returns how many changed, and those that can't be read any more.

    `renamed` gives old names of attributes their new ones. What can't be read stays as it was: losing
    it would be worse than an old form, so look at what is named.
    """
    if unknown := set(renamed.values()) - schema.keys():
        raise ValueError(f"the schema has no attribute {sorted(unknown)}; it has {sorted(schema)}")
    changed, unreadable = 0, list[str]()
    async for sid in subjects(database):
        async with _locked(database, sid) as connection:
            rows = await (await connection.execute(REBUILD["statements"], {"subject": sid})).fetchall()
            moved = []
            for row in rows:
                if row["sealed"]:
                    continue
                there = _moved(row, schema, renamed)
                if there is None:
                    unreadable.append(f"{sid}: {row['attribute']} {row['stated']!r} of {row['source']!r}")
                elif any(there[name] != row[name] for name in ("slot", "attribute", "value", "key")):
                    moved.append(there)
            await connection.execute(REBUILD["rename"], {"subject": sid, "rows": jsonb(moved)})
            slots = sorted({there["slot"] for there in moved})
            await connection.execute(QUERIES["unbound"], {"subject": sid, "slots": slots})
            changed += len(moved)
            await _mend(connection, await _hold(connection, sid, schema, now))
    return changed, unreadable


def _moved(row: Mapping[str, Any], schema: Schema, renamed: Mapping[str, str]) -> dict[str, Any] | None:
    attribute = schema.get(renamed.get(row["attribute"], row["attribute"]))
    if attribute is None:
        return None
    if row["key"] is None:
        return {"id": row["id"], "slot": attribute.name, "attribute": attribute.name, "value": None, "key": None}
    same = row["key"] if attribute.same else None  # what a reader of messages gave beside the value is kept
    # Words that a stricter type can't read ("in the evenings, mostly") move by what an older reader made of them.
    forms = (form for form in (row["stated"], row["value"], row["key"]) if form)
    read = next((read for form in forms if (read := attribute.read(form, same))), None)
    if read is None:
        return None
    return {
        "id": row["id"],
        "slot": attribute.slot(read[1]),
        "attribute": attribute.name,
        "value": read[0],
        "key": read[1],
    }
