"""extract: reads what memory has not read of this subject; a failure leaves it unread and harms nothing."""

import asyncio
import logging
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from graph.context import Context, identify
from graph.core.batch import Reading
from graph.core.words import Claim
from graph.deps import Deps
from graph.models.nvidia import structured
from graph.nodes.notes import readings_to_notes
from graph.state import MemoryState, State
from graph.storage import transcript

log = logging.getLogger(__name__)
BATCH = 20  # messages read in one go


async def extract(state: State | MemoryState, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    subject, turn = identify(runtime), state.get("turn", {})
    if runtime.server_info is not None and not turn.get("now"):
        raise PermissionError("the memory graph runs in the background only: read_subject in graph/background.py")
    async with deps.database.connection() as connection:
        rows = await transcript.unread(connection, subject, most=BATCH)
    background = not turn.get("now")
    # Urgent: all of it, in the order it was said. Else only what was left over, and for no longer than two seconds.
    chosen = [row for row in rows if background or turn.get("urgent") or row["source"] not in turn.get("new", [])]
    patience = None if background or turn.get("urgent") else deps.settings.catch_up_seconds
    try:
        async with asyncio.timeout(patience):
            readings = await _read(deps, chosen)
    except Exception as error:  # noqa: BLE001  # ChatNVIDIA raises bare exceptions; a failed reading never takes the turn
        log.warning("extraction failed; the messages stay unread: %s", error)
        problem = f"memory could not read this now ({type(error).__name__}: {error}); it will be read in the background"
        return {"turn": {**turn, "readings": [], "problem": problem}}
    return {"turn": {**turn, "readings": readings_to_notes(readings)}}


async def _read(deps: Deps, rows: list[dict[str, Any]]) -> list[Reading]:
    readings = []
    model = (await deps.models()).extraction
    for row in rows:
        lines, ids = [], {}
        if row["before"]:
            lines.append(f"[1] assistant ({row['before_at'].isoformat()}): {row['before_text']}")
            ids[1] = row["before"]
        lines.append(f"[{len(lines) + 1}] customer ({row['observed_at'].isoformat()}): {row['text']}")
        found = await structured(model, {"type": "object"}, [SystemMessage("claims"), HumanMessage("\n".join(lines))])
        readings.append(
            Reading(
                row["source"],
                tuple(
                    Claim(c["attribute"], c["value"], c["quote"], c["intent"], accepts=ids.get(c["accepts"]))
                    for c in found["claims"]
                ),
            )
        )
    return readings
