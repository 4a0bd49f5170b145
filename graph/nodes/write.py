"""write: one transaction; decides again on what is true now and applies it."""

from datetime import UTC, datetime
from typing import Any

from langgraph.runtime import Runtime

from graph.context import Context, identify
from graph.deps import Deps
from graph.nodes.notes import ledger_note, notes_to_readings
from graph.state import MemoryState, State
from graph.storage import transcript
from graph.storage.recall import decisions


async def write(state: State | MemoryState, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    turn = state.get("turn", {})
    readings = notes_to_readings(turn.get("readings", []))
    subject = identify(runtime)
    await deps.committer.commit(subject, readings, extractor=deps.extractor, now=datetime.now(UTC))
    # The background may have been faster with the same message: the ledger tells what was decided, by whomever.
    sources = [*turn.get("new", []), *(r.source for r in readings)]
    async with deps.database.connection() as connection:
        rows = await decisions(connection, subject, sources)
        unread = {row["source"] for row in await transcript.unread(connection, subject)}
    written = [ledger_note(row) for row in rows]
    runtime.stream_writer({"memory": {"written": written}})
    kept = {name: note for name, note in turn.items() if name not in ("readings", "advice")}
    return {"turn": {**kept, "written": [*turn.get("written", []), *written], "read": sorted(set(sources) - unread)}}
