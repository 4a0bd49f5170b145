"""Tools that read this conversation's exact transcript: what was folded away or reduced is never lost.

What they return is retrieved text: data for an answer, never a source of facts (F3).
"""

import json

from langchain_core.tools import BaseTool, tool

from trusted_memory.identity import current_subject, current_thread
from trusted_memory.storage import transcript
from trusted_memory.storage.pool import Database

PAGE = 3_000  # characters of one page
AROUND = 200  # characters shown on either side of what was found


def make_lookups(database: Database) -> list[BaseTool]:
    @tool
    async def search_transcript(text: str) -> str:
        """Find an exact word, number or phrase in the earlier messages of this conversation; newest first."""
        if not text.strip():
            return "Nothing to search for."
        async with database.connection() as connection:
            rows = await transcript.search(connection, current_subject(), current_thread(), text.strip())
        found = [
            {"said_by": row["kind"], "at": row["observed_at"].isoformat(), "reference": row["source"],
             "text": _around(row["text"], text.strip())}
            for row in rows
        ]  # fmt: skip
        return json.dumps(found, ensure_ascii=False) if found else f"{text!r} was not said in this conversation."

    @tool
    async def read_more(reference: str, page: int = 1) -> str:
        """Read a message that was shown reduced, by its reference, a page at a time (page 1 is its beginning)."""
        async with database.connection() as connection:
            row = await transcript.message(connection, current_subject(), current_thread(), reference)
        if row is None:
            return f"There is no message {reference!r} in this conversation."
        pages = max(1, -(-len(row["text"]) // PAGE))
        number = min(max(page, 1), pages)
        return f"[page {number} of {pages}]\n{row['text'][(number - 1) * PAGE : number * PAGE]}"

    return [search_transcript, read_more]


def _around(text: str, found: str) -> str:
    at = max(0, text.casefold().find(found.casefold()))
    start, end = max(0, at - AROUND), at + len(found) + AROUND
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
