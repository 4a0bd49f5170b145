"""Named queries from .sql files: one after each `-- name:` line, loaded once at import. And what PostgreSQL keeps."""

import json
from importlib import resources
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from trusted_memory.facts.words import storable

__all__ = ["QUERIES", "jsonb", "named", "storable"]


def _parse(text: LiteralString) -> dict[str, LiteralString]:
    # psycopg asks for literal strings; these are files of this package, never input.
    parts = text.split("-- name: ")[1:]
    return {name: body.strip() for name, _, body in (part.partition("\n") for part in parts)}


def named(file: str) -> dict[str, LiteralString]:
    return _parse(resources.files("trusted_memory.storage").joinpath(file).read_text(encoding="utf-8"))


QUERIES = named("queries.sql")


def jsonb(value: Any) -> Jsonb:
    """JSON with nothing in it that PostgreSQL can't keep."""
    return Jsonb(value, dumps=_dumps)


_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def _dumps(value: Any) -> bytes:
    try:
        encoded = _json(value).encode()
    except UnicodeEncodeError:
        return _json(_storable(value)).encode()
    return _json(_storable(value)).encode() if b"\\u0000" in encoded else encoded


def _storable(value: Any) -> Any:
    match value:
        case str():
            return storable(value)
        case dict():
            return {name: _storable(part) for name, part in value.items()}
        case list() | tuple():
            return [_storable(part) for part in value]
    return value
