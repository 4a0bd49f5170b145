"""Which facts come first, where more are known than a request has room for. An order, never a decision."""

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime

from graph.core.words import Subject
from graph.deps import Deps
from graph.models.counting import count_text
from graph.storage.recall import Recalled, recall
from graph.storage.semantic import index, nearest

log = logging.getLogger(__name__)
ASKED = 2_000  # characters of a message that are looked for


def overflows(held: Recalled, room: int) -> bool:
    """Whether the facts' values alone take more than their share of a request."""
    return sum(count_text(f"{fact['attribute']}: {fact['value']}") for fact in held.facts.values()) > room


async def relevant_first(deps: Deps, subject: Subject, held: Recalled, question: str) -> Recalled:
    """What there is one of, then of the collections what is nearest to the question; as it was, if all of it fits."""
    if not overflows(held, deps.budget.facts):
        return held
    near = await _near(deps, subject, question)
    place = {slot: number for number, slot in enumerate(near)}

    def rank(slot: str) -> tuple[bool, int]:
        return deps.schema[held.facts[slot]["attribute"]].many, place.get(slot, len(place))

    return replace(held, facts={slot: held.facts[slot] for slot in sorted(held.facts, key=rank)})


async def _near(deps: Deps, subject: Subject, question: str) -> list[str]:
    if not deps.embeddings or not question:
        return []
    try:
        async with asyncio.timeout(deps.settings.catch_up_seconds):
            vector = await deps.embeddings.aembed_query(question[:ASKED])
            async with deps.database.connection() as connection:
                return await nearest(connection, subject, vector, str(deps.settings.embedding_model))
    except Exception as error:  # noqa: BLE001 - an order is all that is lost
        log.warning("semantic recall: %s: %s; facts come in their usual order", type(error).__name__, error)
        return []


async def index_facts(deps: Deps, subject: Subject) -> None:
    """In the background: vectors for a subject about whom more is known than a request has room for."""
    if not deps.embeddings:
        return
    try:
        async with deps.database.connection() as connection:
            held = await recall(connection, subject, deps.schema, datetime.now(UTC))
            if overflows(held, deps.budget.facts):
                await index(connection, subject, deps.embeddings, str(deps.settings.embedding_model))
    except Exception as error:  # noqa: BLE001 - what was read is stored; the next reading comes for the vectors
        log.warning("semantic recall: %s: %s; new facts have no vectors yet", type(error).__name__, error)
