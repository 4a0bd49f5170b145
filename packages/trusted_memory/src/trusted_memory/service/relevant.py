"""Which facts come first, where more are known than a request has room for. An order, never a decision."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trusted_memory.facts.words import Subject
from trusted_memory.models.counting import count_text
from trusted_memory.storage.recall import Recalled, recall
from trusted_memory.storage.semantic import index, nearest

if TYPE_CHECKING:
    from trusted_memory.service.memory import Memory

log = logging.getLogger(__name__)
ASKED = 2_000  # characters of a message that are looked for


def overflows(held: Recalled, room: int) -> bool:
    """Whether the facts' values alone take more than their share of a request."""
    return sum(count_text(f"{fact['attribute']}: {fact['value']}") for fact in held.facts.values()) > room


async def relevant_first(memory: Memory, subject: Subject, held: Recalled, question: str) -> Recalled:
    """What there is one of, then of the collections what is nearest to the question; as it was, if all of it fits."""
    if not overflows(held, memory.budget.facts):
        return held
    near = await _near(memory, subject, question)
    place = {slot: number for number, slot in enumerate(near)}

    def rank(slot: str) -> tuple[bool, int]:
        return memory.schema[held.facts[slot]["attribute"]].many, place.get(slot, len(place))

    return replace(held, facts={slot: held.facts[slot] for slot in sorted(held.facts, key=rank)})


async def _near(memory: Memory, subject: Subject, question: str) -> list[str]:
    if not memory.embeddings or not question:
        return []
    try:
        async with asyncio.timeout(memory.catch_up_seconds):
            vector = await memory.embeddings.aembed_query(question[:ASKED])
            async with memory.database.connection() as connection:
                return await nearest(connection, subject, vector, str(memory.embedding_model))
    except Exception as error:  # noqa: BLE001 - an order is all that is lost
        log.warning("semantic recall: %s: %s; facts come in their usual order", type(error).__name__, error)
        return []


async def index_facts(memory: Memory, subject: Subject) -> None:
    """In the background: vectors for a subject about whom more is known than a request has room for."""
    if not memory.embeddings:
        return
    try:
        async with memory.database.connection() as connection:
            held = await recall(connection, subject, memory.schema, datetime.now(UTC))
            if overflows(held, memory.budget.facts):
                await index(connection, subject, memory.embeddings, str(memory.embedding_model))
    except Exception as error:  # noqa: BLE001 - what was read is stored; the next reading comes for the vectors
        log.warning("semantic recall: %s: %s; new facts have no vectors yet", type(error).__name__, error)
