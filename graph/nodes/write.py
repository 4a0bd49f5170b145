"""write: one transaction; decides again on what is true now and applies it."""

from datetime import UTC, datetime
from typing import Any

from langgraph.runtime import Runtime

from graph.context import Context, identify
from graph.deps import Deps
from graph.nodes.notes import notes_to_readings, outcome_note
from graph.state import MemoryState, State


async def write(state: State | MemoryState, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    turn = state.get("turn", {})
    readings = notes_to_readings(turn.get("readings", []))
    outcomes = await deps.committer.commit(
        identify(runtime), readings, extractor=deps.extractor, now=datetime.now(UTC)
    )
    written = [outcome_note(o) for o in outcomes]
    runtime.stream_writer({"memory": {"written": written}})
    kept = {name: note for name, note in turn.items() if name not in ("readings", "advice")}
    return {"turn": {**kept, "written": [*turn.get("written", []), *written], "read": [r.source for r in readings]}}
