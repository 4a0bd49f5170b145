"""What tests of a customer's rights share: telling the storage things, and looking for words in every table."""

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg import sql

from trusted_memory.facts.batch import Outcome, Reading
from trusted_memory.facts.words import Claim, SourceKind, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.pool import Database
from trusted_memory.storage.recall import recall
from trusted_memory.storage.transcript import Message

START = datetime(2027, 1, 4, 9, tzinfo=UTC)
NOW = datetime(2027, 1, 15, 12, tzinfo=UTC)
THREAD = "7f0c1e0a-0000-4000-8000-00000000000a"
_minutes = itertools.count()


async def said(
    committer: Committer,
    subject: Subject,
    source: str,
    text: str,
    *claims: Claim,
    kind: SourceKind = "user",
    origin: str = "customer",
    thread: str = THREAD,
    at: datetime | None = None,
) -> list[Outcome]:
    """Record a message and commit what was read in it."""
    at = at or START + timedelta(minutes=next(_minutes))
    async with committer.database.connection() as connection:
        await transcript.record(connection, subject, [Message(source, thread, kind, origin, at, text)], committer.key())
    if kind == "assistant":
        return []
    return await committer.commit(subject, [Reading(source, claims)], extractor="test", now=NOW)


async def facts(committer: Committer, subject: Subject) -> dict[str, tuple[str, int]]:
    """Value and support by slot."""
    async with committer.database.connection() as connection:
        held = await recall(connection, subject, committer.schema, NOW)
    return {slot: (fact["value"], fact["support"]) for slot, fact in held.facts.items()}


# Migrations have checksums, in which anything short is found by chance.
TABLES = "select tablename from pg_tables where schemaname = 'memory' and tablename <> 'migration'"


async def dump(database: Database, *, but: Sequence[str] = ()) -> dict[str, str]:
    """Every table of the schema, whole: columns of bytes as Latin-1 and as UTF-8, so that text in them is found."""
    found = {}
    async with database.connection() as connection:
        tables = await connection.execute(TABLES)
        for name in [row["tablename"] for row in await tables.fetchall()]:
            if name not in but:
                rows = await (
                    await connection.execute(sql.SQL("select * from {}").format(sql.Identifier(name)))
                ).fetchall()
                found[name] = "\n".join(_text(value) for row in rows for value in row.values())
    return found


def _text(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, dict):
        return "\n".join(_text(v) for pair in value.items() for v in pair)
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return str(value)


async def where(database: Database, *words: str, but: Sequence[str] = ()) -> dict[str, list[str]]:
    """In which tables each of the words stands, whatever the case; only those that stand somewhere."""
    tables = await dump(database, but=but)
    hits = {w: [name for name, text in tables.items() if w.casefold() in text.casefold()] for w in words}
    return {word: names for word, names in hits.items() if names}
