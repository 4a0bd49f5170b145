"""Reads what memory has not read of a subject; a failure leaves it unread and harms nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trusted_memory.facts.batch import Reading
from trusted_memory.facts.words import Subject
from trusted_memory.models.errors import ModelRefused, ModelTimeout, ModelUnreachable
from trusted_memory.models.nvidia import structured
from trusted_memory.reading.extract import extract_claims
from trusted_memory.reading.ground import Numbered
from trusted_memory.reading.numbering import TOGETHER
from trusted_memory.service.notes import LATER, readings_to_notes
from trusted_memory.storage import jobs, transcript

if TYPE_CHECKING:
    from trusted_memory.service.memory import Memory

log = logging.getLogger(__name__)
BATCH = 20  # messages read in one go
LONG = 12_000  # characters; a longer message takes many requests, and the customer would wait for all of them

Row = dict[str, Any]


async def read(memory: Memory, subject: Subject, turn: Mapping[str, Any], *, background: bool) -> dict[str, Any]:
    """The notes of one reading: what was claimed by which message, and what could not be read for which reason."""
    rows = await _chosen(memory, subject, turn, background=background)
    reader = _Reader(memory, waiting=not background)
    if background:
        await reader.read(rows, None)
    else:
        # A correction is worth waiting for, with what was said just before it: that is one request. What else was left
        # over gets two seconds of the customer's time.
        now = rows[-TOGETHER:] if turn.get("urgent") else []
        await reader.read(now, memory.reading_seconds)
        await reader.read(rows[: len(rows) - len(now)], memory.catch_up_seconds)
    for source, why in reader.failed.items():
        log.warning("message %s stays unread: %s", source, why)
    if not background and set(turn.get("new", [])) - {reading.source for reading in reader.readings}:
        async with memory.database.connection() as connection:
            await jobs.defer(connection, subject)  # at once: intake has put it off, since this turn was to read it
    failed = {**turn.get("failed", {}), **reader.failed}
    problem = {"problem": LATER} if failed else {}
    return {**problem, "readings": readings_to_notes(reader.readings), "failed": failed}


async def _chosen(memory: Memory, subject: Subject, turn: Mapping[str, Any], *, background: bool) -> list[Row]:
    """In the order it was said. The background leaves out what it has failed to read; a turn, what can wait."""
    skipped = set(turn.get("failed", {})) if background else set() if turn.get("urgent") else set(turn.get("new", []))
    async with memory.database.connection() as connection:
        rows = await transcript.unread(connection, subject, most=BATCH + len(skipped))
        if turn.get("urgent"):  # however much is unread before it
            rows += await transcript.unread(connection, subject, of=turn.get("new", []))
    chosen = {row["source"]: row for row in rows if row["source"] not in skipped}
    return [row for row in chosen.values() if background or len(row["text"]) <= LONG]


class _Reader:
    """Reads messages together; if that fails each by itself, so that one keeps none of the others from being read."""

    def __init__(self, memory: Memory, *, waiting: bool) -> None:
        self.memory = memory
        self.waiting = waiting  # a customer does
        self.readings: list[Reading] = []
        self.failed: dict[str, str] = {}

    async def read(self, rows: Sequence[Row], seconds: float | None) -> None:
        """A request at a time, so that what was read in time counts."""
        try:
            async with asyncio.timeout(seconds):
                for start in range(0, len(rows), TOGETHER):
                    await self._read(rows[start : start + TOGETHER])
        except TimeoutError:
            self._give_up(rows, "there was no time for it")

    async def _read(self, rows: Sequence[Row]) -> None:
        try:
            self.readings += await _read(self.memory, rows)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a model, reading never takes the turn with it
            # Nobody answers, or too many ask, or there is no answer while a customer waits: no use in asking again.
            hopeless = isinstance(error, ModelUnreachable) or (self.waiting and isinstance(error, ModelTimeout))
            hopeless = hopeless or (isinstance(error, ModelRefused) and error.limited)
            if hopeless or len(rows) == 1:
                self._give_up(rows, f"{type(error).__name__}: {error}")
                return
            log.info("reading %d messages together failed (%s); now each by itself", len(rows), error)
            for row in rows:
                await self._read([row])

    def _give_up(self, rows: Sequence[Row], why: str) -> None:
        done = {reading.source for reading in self.readings}
        self.failed |= {row["source"]: why for row in rows if row["source"] not in done | self.failed.keys()}


async def _read(memory: Memory, rows: Sequence[Row]) -> list[Reading]:
    """Claims by message, every one of the messages answered for; what could not be understood is a claim refused."""
    model = await memory.extraction()
    said: list[Numbered] = []
    for row in rows:
        if row["before"]:
            said.append(Numbered(row["before"], "assistant", row["before_at"], row["before_text"]))
        said.append(Numbered(row["source"], "user", row["observed_at"], row["text"]))
    result = await extract_claims(
        lambda messages, schema: structured(model, schema, messages),
        memory.schema,
        said,
        datetime.now(UTC),
        prompts=memory.prompts,
        limit=memory.budget.request,
    )
    refused = {source: bad.claim for bad in result.malformed for source in bad.messages}
    return [
        Reading(source, claims + ((refused[source],) if source in refused else ()))
        for source, claims in result.claims.items()
    ]
