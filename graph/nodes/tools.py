"""tools: the stock tool loop; each result is recorded, and what a system of record says becomes a fact."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from graph.context import Context, identify, speaking
from graph.core.batch import Reading
from graph.core.words import Claim
from graph.deps import Deps
from graph.domain import TOOL_FACTS, SystemOfRecord
from graph.models.counting import count_text
from graph.nodes.intake import kept, spoken, thread_of
from graph.nodes.messages import text_of
from graph.nodes.notes import outcome_note
from graph.state import State
from graph.storage import transcript

EXTRACTOR = "tool"  # no model reads a system of record


def tool_failed(error: Exception) -> str:
    """Told to the model, so that it can say so or try otherwise; the details go to the log alone."""
    return f"The tool failed ({type(error).__name__}). Nothing was changed. Say that it did not work."


async def tools(state: State, config: RunnableConfig, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    subject, now, thread, turn = identify(runtime), datetime.now(UTC), thread_of(config), state.get("turn", {})
    call = next(m for m in reversed(state["messages"]) if isinstance(m, AIMessage))
    with speaking(subject, thread):
        answered = await ToolNode([*deps.tools, *deps.lookups], handle_tool_errors=tool_failed).ainvoke(
            {"messages": state["messages"]}, config
        )
    # Ids of our own: call ids may repeat from turn to turn, a source's id may not.
    results = [
        m.model_copy(update={"id": f"{call.id}/{i}"})
        for i, m in enumerate(answered["messages"])
        if isinstance(m, ToolMessage)
    ]
    question = next((text_of(m) for m in reversed(state["messages"]) if isinstance(m, HumanMessage)), "")
    shown = [
        kept(m.model_copy(update={"artifact": None}), deps.budget.tool_output, question, count_text) for m in results
    ]
    said = [
        transcript.Message(str(m.id), thread, "tool", _origin(m), now, spoken(m), _version(m), kept=spoken(short))
        for m, short in zip(results, shown, strict=True)
    ]
    async with deps.database.connection() as connection:
        await transcript.record(connection, subject, said, deps.key)
    readings = [Reading(str(m.id), claims) for m in results if (claims := facts_of(m))]
    outcomes = await deps.committer.commit(subject, readings, extractor=EXTRACTOR, now=now)
    written = [outcome_note(o) for o in outcomes]
    runtime.stream_writer({"memory": {"written": written}})
    return {"messages": shown, "turn": {**turn, "written": [*turn.get("written", []), *written]}}


def facts_of(message: ToolMessage) -> tuple[Claim, ...]:
    """The claims that domain.py declares for this tool, quoted from its result as it was recorded."""
    system = TOOL_FACTS.get(message.name or "")
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


def _system(message: ToolMessage) -> SystemOfRecord | None:
    return TOOL_FACTS.get(message.name or "")


def _origin(message: ToolMessage) -> str:
    system = _system(message)
    return system.origin if system else (message.name or "tool")


def _version(message: ToolMessage) -> int | None:
    system, row = _system(message), message.artifact
    version = row.get(system.version) if system and system.version and isinstance(row, Mapping) else None
    return int(version) if version is not None else None
