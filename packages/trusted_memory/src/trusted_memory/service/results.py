"""Tool results: each is recorded, and what a system of record says in one becomes a fact. No model reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from trusted_memory.conversation.messages import kept, last_said, spoken
from trusted_memory.facts.batch import Reading
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.models.counting import count_text
from trusted_memory.service.notes import outcome_note
from trusted_memory.storage.transcript import Message

if TYPE_CHECKING:
    from trusted_memory.facts.schema import SystemOfRecord
    from trusted_memory.service.memory import Memory

EXTRACTOR = "tool"


@dataclass(frozen=True, slots=True)
class Results:
    """`messages` as state keeps them, each within its cap; `written` says what memory made of them."""

    messages: list[ToolMessage]
    written: list[dict[str, Any]]


def tool_failed(error: Exception) -> str:
    """Told to the model, so that it can say so or try otherwise; the details go to the log alone."""
    return f"The tool failed ({type(error).__name__}). Nothing was changed. Say that it did not work."


async def record(
    memory: Memory, subject: Subject, thread: str, messages: Sequence[BaseMessage], answered: Sequence[ToolMessage]
) -> Results:
    now = datetime.now(UTC)
    call = next(m for m in reversed(messages) if isinstance(m, AIMessage))
    # Ids of our own: call ids may repeat from turn to turn, a source's id may not.
    results = [m.model_copy(update={"id": f"{call.id}/{i}"}) for i, m in enumerate(answered)]
    cap, question = memory.budget.tool_output, last_said(messages)
    shown = [kept(m.model_copy(update={"artifact": None}), cap, question, count_text) for m in results]
    said = []
    for whole, short in zip(results, shown, strict=True):
        system = memory.tool_facts.get(whole.name or "")
        origin = system.origin if system else (whole.name or "tool")
        said.append(
            Message(
                str(whole.id), thread, "tool", origin, now, spoken(whole), _version(whole, system), kept=spoken(short)
            )
        )
    await memory.record(subject, said)
    readings = [Reading(str(m.id), claims) for m in results if (claims := facts_of(m, memory.tool_facts))]
    outcomes = await memory.committer.commit(subject, readings, extractor=EXTRACTOR, now=now)
    return Results(shown, [outcome_note(o) for o in outcomes])


def facts_of(message: ToolMessage, tool_facts: Mapping[str, SystemOfRecord]) -> tuple[Claim, ...]:
    """The claims that the domain declares for this tool, quoted from its result as it was recorded."""
    system = tool_facts.get(message.name or "")
    row = message.artifact
    if system is None or not isinstance(row, Mapping) or message.status == "error":
        return ()
    return tuple(
        Claim(attribute, str(row[field]), quote=_quote(field, row[field], spoken(message)))
        for field, attribute in system.facts.items()
        if row.get(field) is not None
    )


def _quote(field: str, value: Any, text: str) -> str:
    """The piece of the result that says it."""
    exact = f"{json.dumps(field)}: {json.dumps(value)}"
    return exact if exact in text else text[:200]


def _version(message: ToolMessage, system: SystemOfRecord | None) -> int | None:
    row = message.artifact
    version = row.get(system.version) if system and system.version and isinstance(row, Mapping) else None
    return int(version) if version is not None else None
