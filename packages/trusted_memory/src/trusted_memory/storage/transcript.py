"""The exact record of every message, with who really sent it."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trusted_memory.facts.words import SourceKind, Subject
from trusted_memory.storage.erasure.remains import RIGHTS
from trusted_memory.storage.erasure.seal import fingerprint
from trusted_memory.storage.ids import source_id
from trusted_memory.storage.pool import Connection, subject_id
from trusted_memory.storage.sql import QUERIES, jsonb, storable

__all__ = ["Message", "storable"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it was sent. `source` is its id, unique for the subject; `text` is exact, state keeps `kept`."""

    source: str
    thread: str
    kind: SourceKind
    origin: str
    observed_at: datetime
    text: str
    version: int | None = None
    kept: str | None = None


def digest(text: str) -> str:
    """As PostgreSQL's md5(text); for recognising a text, not for security."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


async def record(connection: Connection, subject: Subject, messages: Sequence[Message], key: bytes) -> list[str]:
    """Write messages that are not there yet; returns the ids of the new ones.

    A redelivery changes nothing, unless it proves an earlier time: then that counts and the message is unread again.
    An erased message is not written again.
    """
    if not messages:
        return []
    async with connection.pipeline(), connection.transaction():
        outcome = await write(connection, subject, messages, key)
        return (await outcome()).new


@dataclass(frozen=True, slots=True)
class Written:
    """What became of messages: the ids of the new ones, and of those that were erased and are not written again."""

    new: list[str]
    gone: set[str]


async def write(
    connection: Connection, subject: Subject, messages: Sequence[Message], key: bytes
) -> Callable[[], Awaitable[Written]]:
    """`record` in the caller's transaction; what comes back tells the outcome, once that is wanted."""
    named = _earliest(messages)
    rows = [
        {
            "source": source, "thread": storable(m.thread), "kind": m.kind, "origin": m.origin,
            "version": m.version, "observed_at": m.observed_at.isoformat(), "text": storable(m.text),
            "digest": digest(storable(m.text if m.kept is None else m.kept)),
            "hash": fingerprint(key, m.source).hex(),
        }
        for source, m in named.items()
    ]  # fmt: skip
    sid = subject_id(subject)
    await connection.execute(RIGHTS["recording"], {"subject": sid})
    cursor = await connection.execute(QUERIES["record_messages"], {"subject": sid, "rows": jsonb(rows)})

    async def outcome() -> Written:
        found = await cursor.fetchall()
        return Written(
            [named[row["source"]].source for row in found if row["new"]],
            {named[row["source"]].source for row in found if row["gone"]},
        )

    return outcome


def _earliest(messages: Sequence[Message]) -> dict[str, Message]:
    """Messages by their stored ids; of two deliveries of one the earlier."""
    return {source_id(m.source): m for m in sorted(messages, key=lambda m: m.observed_at, reverse=True)}


async def erased(connection: Connection, subject: Subject, sources: Sequence[str], key: bytes) -> set[str]:
    """Which of the sources were erased. Until the end of the caller's transaction no others will be."""
    sid, hashes = subject_id(subject), {fingerprint(key, source): source for source in sources}
    async with connection.pipeline():
        await connection.execute(RIGHTS["recording"], {"subject": sid})
        cursor = await connection.execute(QUERIES["erased"], {"subject": sid, "hashes": list(hashes)})
        return {hashes[row["source"]] for row in await cursor.fetchall()}


async def known(
    connection: Connection, subject: Subject, sources: Sequence[str], thread: str = ""
) -> dict[str, dict[str, Any]]:
    """Kind and digests of those messages that are in the subject's transcript, whether they were read, and were said
    in this `thread` (`here`)."""
    stored = {source_id(source): source for source in sources}
    params = {"subject": subject_id(subject), "sources": list(stored), "thread": thread}
    rows = await (await connection.execute(QUERIES["known_messages"], params)).fetchall()
    return {stored[row["source"]]: row for row in rows}


async def unread(
    connection: Connection, subject: Subject, most: int = 50, *, of: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """The subject's own messages (or those named of them) that no extractor has read, oldest first."""
    params = {"subject": subject_id(subject), "most": most, "of": None if of is None else [source_id(s) for s in of]}
    return await (await connection.execute(QUERIES["unread"], params)).fetchall()


async def thread(
    connection: Connection, subject: Subject, thread_id: str, *, after: int = 0, most: int = 100
) -> list[dict[str, Any]]:
    """A page of a conversation in order; the `seq` of the last row is the next page's `after`."""
    params = {"subject": subject_id(subject), "thread": thread_id, "after": after, "most": most}
    return await (await connection.execute(QUERIES["read_thread"], params)).fetchall()


async def search(
    connection: Connection, subject: Subject, thread_id: str, text: str, *, most: int = 5
) -> list[dict[str, Any]]:
    """Messages of this conversation that contain the text, newest first."""
    params = {"subject": subject_id(subject), "thread": thread_id, "text": text, "most": most}
    return await (await connection.execute(QUERIES["search_transcript"], params)).fetchall()


async def holds(connection: Connection, subject: Subject, thread_id: str, words: Sequence[str]) -> list[str]:
    """Which of the words the exact record of this conversation holds."""
    params = {"subject": subject_id(subject), "thread": thread_id, "words": [storable(w) for w in words]}
    rows = await (await connection.execute(QUERIES["words_in_thread"], params)).fetchall()
    return [row["word"] for row in rows]


async def message(connection: Connection, subject: Subject, thread_id: str, source: str) -> dict[str, Any] | None:
    """One message of this conversation, whole."""
    params = {"subject": subject_id(subject), "thread": thread_id, "source": source_id(source)}
    return await (await connection.execute(QUERIES["read_message"], params)).fetchone()
