"""What one commit says to the database, recorded at the driver: statements, their parameters, and where it waits."""

from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.adapt import PyFormat, Transformer
from psycopg.rows import DictRow


@dataclass(frozen=True, slots=True)
class Said:
    """One statement with named parameters, as PostgreSQL's text form and type name of each."""

    query: str
    parameters: dict[str, tuple[str | None, str | None]]


@dataclass(slots=True)
class Recorder:
    """Trips of statements that travel together; a new one begins once an answer was waited for."""

    trips: list[list[Said]] = field(default_factory=lambda: [[]])

    def waited(self) -> None:
        if self.trips[-1]:
            self.trips.append([])

    def cursor(self) -> type[psycopg.AsyncCursor[DictRow]]:
        """A cursor class that tells this recorder."""
        recorder = self

        class Recording(psycopg.AsyncCursor[DictRow]):
            async def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
                recorder.trips[-1].append(Said(str(query), {k: _text(self, v) for k, v in (params or {}).items()}))
                return await super().execute(query, params, **options)

            async def fetchall(self) -> list[DictRow]:
                recorder.waited()
                return await super().fetchall()

            async def fetchone(self) -> DictRow | None:
                recorder.waited()
                return await super().fetchone()

        return Recording


def _text(cursor: psycopg.AsyncCursor[Any], value: Any) -> tuple[str | None, str | None]:
    if value is None:
        return None, None
    dumper = Transformer(cursor).get_dumper(value, PyFormat.TEXT)
    dumped = dumper.dump(value)
    known = cursor.connection.adapters.types.get(dumper.oid)
    kind = None
    if known:
        kind = f"{known.name}[]" if dumper.oid == known.array_oid else known.name
    if isinstance(value, list) and not dumper.oid:
        kind = "text[]"  # a plain text goes out without a type, and so does a list of them
    return None if dumped is None else bytes(dumped).decode(), kind
