"""write: one transaction; decides again on what is true now and applies it."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.runtime import Runtime

from graph.context import Context, identify
from graph.core.batch import Reading
from graph.core.words import Subject
from graph.deps import Deps
from graph.nodes.extract import extractor_version
from graph.nodes.notes import admissible, ledger_note
from graph.nodes.unread import LATER
from graph.state import MemoryState, State
from graph.storage import transcript
from graph.storage.recall import decisions

log = logging.getLogger(__name__)


async def write(state: State | MemoryState, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    subject, turn = identify(runtime), state.get("turn", {})
    readings = await admissible(deps.database, subject, turn)
    failed = {**turn.get("failed", {}), **await _commit(deps, subject, readings)}
    # The background may have been faster with the same message: the ledger tells what was decided, by whomever.
    sources = [*turn.get("new", []), *(r.source for r in readings)]
    async with deps.database.connection() as connection:
        rows = await decisions(connection, subject, sources)
        known = await transcript.known(connection, subject, sources)
    written = [ledger_note(row) for row in rows]
    runtime.stream_writer({"memory": {"written": written}})
    kept = {name: note for name, note in turn.items() if name not in ("readings", "advice")}
    notes = {
        "written": [*turn.get("written", []), *written],
        "read": sorted(source for source, row in known.items() if row["read"]),
        "failed": failed,
        **({"problem": LATER} if failed else {}),
    }
    return {"turn": kept | notes}


async def _commit(deps: Deps, subject: Subject, readings: Sequence[Reading]) -> dict[str, str]:
    """All together, else each by itself: one reading that can't be stored keeps none of the others out."""
    try:
        await deps.committer.commit(
            subject, readings, extractor=extractor_version(deps.schema, deps.prompts), now=datetime.now(UTC)
        )
    # The messages are in the transcript and stay unread: the turn is answered, the background tries again.
    except Exception as error:
        if len(readings) == 1:
            log.warning("message %s stays unread: %s", readings[0].source, error, exc_info=error)
            return {readings[0].source: f"{type(error).__name__}: {error}"}
        failed: dict[str, str] = {}
        for reading in readings:
            failed |= await _commit(deps, subject, [reading])
        return failed
    return {}
