"""A customer's right to know: what is believed, on whose words, and how it came about; and all of it to take away."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from trusted_memory.facts.evidence import Evidence
from trusted_memory.facts.resolve import resolve
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import FactRecord, Statement, Subject
from trusted_memory.storage.erasure import checkpoints as conversations
from trusted_memory.storage.erasure.remains import RIGHTS
from trusted_memory.storage.ids import subject_id
from trusted_memory.storage.pool import Connection
from trusted_memory.storage.rows import by_slot

FORMAT = 1
NOT_INCLUDED = (
    "systems of record that tools use (accounts, orders): ask there",
    "conversations that a host keeps in a database of its own",
)
SNAPSHOT = "set transaction isolation level repeatable read, read only"
Told = Mapping[str, Mapping[str, Any]]


async def know(connection: Connection, subject: Subject, schema: Schema, now: datetime) -> dict[str, Any]:
    """What do you know about me: facts, conflicts and withdrawals with every quote and their history.

    `kept_but_not_used` is what was said about attributes that the schema no longer has.
    """
    params = {"subject": subject_id(subject)}
    async with connection.transaction():
        await connection.execute(SNAPSHOT)
        rows = {
            name: await (await connection.execute(RIGHTS[name], params)).fetchall()
            for name in ("all_evidence", "told", "history")
        }
    told = {row["source"]: row for row in rows["told"]}
    known: dict[str, list[dict[str, Any]]] = {"active": [], "conflict": [], "retracted": []}
    unused: list[dict[str, Any]] = []
    for slot, evidence in sorted(by_slot(rows["all_evidence"]).items()):
        attribute = schema.get(evidence[0].attribute)
        record = resolve(evidence, attribute, now) if attribute else None
        if attribute is None:
            unused.append({"slot": slot, "quotes": [_quote(s, told) for s in evidence if s.quote]})
        elif record:
            history = [_decided(row) for row in rows["history"] if row["slot"] == slot]
            said = {"slot": slot, "attribute": attribute.name, "about": attribute.description}
            known[record.status].append(said | _believed(record, evidence, told) | {"history": history})
    return {
        "customer": {"tenant": subject.tenant, "user": subject.user},
        "at": now.isoformat(),
        "facts": known["active"],
        "conflicts": known["conflict"],
        "withdrawn": known["retracted"],
        "heard_but_not_kept": [_decided(row) for row in rows["history"] if row["slot"] is None and row["reason"]],
        "kept_but_not_used": unused,
        "messages": len(told),
        "not_read_yet": sum(row["unread"] for row in told.values()),
    }


async def export(connection: Connection, subject: Subject) -> dict[str, Any]:
    """Everything kept about the subject, as one moment saw it; plain enough for JSON (`default=str`)."""
    sid = subject_id(subject)
    params = {"subject": sid, "prefix": f"facts.{sid}"}
    async with connection.transaction():
        await connection.execute(SNAPSHOT)
        tables = {
            name: [
                {column: value for column, value in row.items() if column != "subject"}
                for row in await (await connection.execute(RIGHTS[f"export_{name}"], params)).fetchall()
            ]
            for name in ("transcript", "facts", "records", "statements", "ledger", "erased")
        }
        threads = [row["thread"] for row in await (await connection.execute(RIGHTS["threads"], params)).fetchall()]
        remembered = await conversations.remembered(connection, threads)
    return {
        "format": FORMAT,
        "customer": {"tenant": subject.tenant, "user": subject.user},
        "threads": [_thread(name, tables["transcript"], remembered) for name in sorted(threads)],
        **tables,
        "erased": tables["erased"][0],
        "not_included": list(NOT_INCLUDED),
    }


def _believed(record: FactRecord, evidence: Evidence, told: Told) -> dict[str, Any]:
    quotes = [_quote(s, told) for s in record.standing if s.quote]
    if record.status == "conflict":
        return {"values": list(record.values), "quotes": quotes}
    if record.status == "retracted":
        return {"quotes": quotes}
    others = [_quote(s, told) for s in evidence if s not in record.standing and s.quote]
    return {
        "value": record.value, "support": record.support, "since": record.standing[0].observed_at.isoformat(),
        "temporary": record.temporary, "changes_at": record.changes_at and record.changes_at.isoformat(),
        "quotes": quotes, "also_said": others,
    }  # fmt: skip


def _quote(s: Statement, told: Told) -> dict[str, Any]:
    where = told.get(s.source)
    return {
        "quote": s.quote, "value": s.value, "said_by": s.kind, "origin": s.origin,
        "said_at": s.observed_at.isoformat(), "message": s.source, "conversation": where and where["thread"],
    }  # fmt: skip


def _decided(row: Mapping[str, Any]) -> dict[str, Any]:
    statement = row["statement"]
    return {
        "at": row["decided_at"].isoformat(), "attribute": row["attribute"],
        "decision": row["outcome"], "reason": row["reason"],
        "before": shown(row["before"]), "after": shown(row["after"]), "value": statement.get("value"),
        "quote": statement.get("quote", ""), "message": row["source"],
    }  # fmt: skip


def shown(brief: Mapping[str, Any] | None) -> str | None:
    """A record of the ledger in words."""
    if not brief or brief["status"] == "retracted":
        return None
    return brief["value"] or " / ".join(brief["values"]) or "(erased)"


def _thread(name: str, messages: list[dict[str, Any]], remembered: Mapping[str, Any]) -> dict[str, Any]:
    said = [row for row in messages if row["thread"] == name]
    return {
        "thread": name, "messages": len(said), "first": said[0]["observed_at"] if said else None,
        "last": said[-1]["observed_at"] if said else None, **remembered.get(name, {}),
    }  # fmt: skip
