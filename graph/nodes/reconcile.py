"""reconcile: shows what the decisions would be. Advice only; the write decides again under the lock."""

import logging
from datetime import UTC, datetime
from typing import Any

from langgraph.runtime import Runtime

from graph.context import Context, identify
from graph.deps import Deps
from graph.nodes.extract import extractor_version
from graph.nodes.notes import admissible, outcome_note
from graph.state import MemoryState, State

log = logging.getLogger(__name__)


async def reconcile(state: State | MemoryState, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    subject, turn = identify(runtime), state.get("turn", {})
    readings = await admissible(deps.database, subject, turn)
    try:
        outcomes = await deps.committer.foresee(
            subject, readings, extractor=extractor_version(deps.schema, deps.prompts), now=datetime.now(UTC)
        )
    except Exception as error:  # noqa: BLE001 - the write meets the same fault, reading by reading, and says so
        log.warning("no advice: %s", error)
        outcomes = []
    advice = [outcome_note(o) for o in outcomes]
    runtime.stream_writer({"memory": {"proposed": advice}})
    return {"turn": {**turn, "advice": advice}}
