"""reconcile: shows what the decisions would be. Advice only; the write decides again under the lock."""

from datetime import UTC, datetime
from typing import Any

from langgraph.runtime import Runtime

from graph.context import Context, identify
from graph.deps import Deps
from graph.nodes.notes import notes_to_readings, outcome_note
from graph.state import MemoryState, State


async def reconcile(state: State | MemoryState, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    turn = state.get("turn", {})
    readings = notes_to_readings(turn.get("readings", []))
    outcomes = await deps.committer.foresee(
        identify(runtime), readings, extractor=deps.extractor, now=datetime.now(UTC)
    )
    advice = [outcome_note(o) for o in outcomes]
    runtime.stream_writer({"memory": {"proposed": advice}})
    return {"turn": {**turn, "advice": advice}}
