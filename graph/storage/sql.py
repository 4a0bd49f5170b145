"""Reads .sql files: one named query after each `-- name:` line, loaded once at import."""

from importlib import resources
from typing import LiteralString


def _parse(text: LiteralString) -> dict[str, LiteralString]:
    # psycopg asks for literal strings; these are files of this package, never input.
    parts = text.split("-- name: ")[1:]
    return {name: body.strip() for name, _, body in (part.partition("\n") for part in parts)}


def named(file: str) -> dict[str, LiteralString]:
    return _parse(resources.files("graph.storage").joinpath(file).read_text(encoding="utf-8"))


QUERIES = named("queries.sql")
