"""Reads queries.sql: one named query after each `-- name:` line, loaded once at import."""

from importlib import resources
from typing import LiteralString


def _named(text: LiteralString) -> dict[str, LiteralString]:
    # psycopg asks for literal strings; this is a file of this package, never input.
    parts = text.split("-- name: ")[1:]
    return {name: body.strip() for name, _, body in (part.partition("\n") for part in parts)}


QUERIES = _named(resources.files("graph.storage").joinpath("queries.sql").read_text(encoding="utf-8"))
