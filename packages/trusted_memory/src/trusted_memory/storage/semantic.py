"""Vectors of facts (pgvector), for subjects about whom more is known than a request has room for."""

from collections.abc import Sequence

import psycopg
from langchain_core.embeddings import Embeddings

from trusted_memory.facts.words import Subject
from trusted_memory.storage.pool import Connection, subject_id
from trusted_memory.storage.sql import jsonb, named

SEMANTIC = named("semantic.sql")
BATCH = 50  # facts embedded in one request, as NVIDIA's client has it


class NoVectors(RuntimeError):
    """The database has no pgvector."""


async def prepare(connection: Connection) -> None:
    """Make the table, where it isn't there. The extension can't be assumed: without it, nothing else is touched."""
    try:
        await connection.execute(SEMANTIC["prepare"])
    except (
        psycopg.errors.FeatureNotSupported,
        psycopg.errors.UndefinedFile,
        psycopg.errors.InsufficientPrivilege,
    ) as e:
        raise NoVectors(
            f"APP_EMBEDDING_MODEL needs the extension pgvector in this database ({e.diag.message_primary}): "
            "have it installed, or unset APP_EMBEDDING_MODEL"
        ) from e


async def index(connection: Connection, subject: Subject, embeddings: Embeddings, model: str) -> int:
    """Embed the subject's facts that have no vector yet, or had another value when they got it; returns how many."""
    scope, done = {"prefix": f"facts.{subject_id(subject)}", "model": model}, 0
    while rows := await (await connection.execute(SEMANTIC["missing"], scope | {"most": BATCH})).fetchall():
        vectors = await embeddings.aembed_documents([f"{row['attribute']}: {row['value']}" for row in rows])
        kept = [
            {"slot": row["slot"], "value": row["value"], "embedding": str(list(vector))}
            for row, vector in zip(rows, vectors, strict=True)
        ]
        written = (await connection.execute(SEMANTIC["keep"], scope | {"rows": jsonb(kept)})).rowcount
        done += written
        if not written:  # all of them have changed meanwhile: the next reading of this subject comes for them
            break
    return done


async def nearest(
    connection: Connection, subject: Subject, vector: Sequence[float], model: str, *, most: int = 200
) -> list[str]:
    """Slots of the subject's facts, the nearest to the vector first."""
    params = {
        "prefix": f"facts.{subject_id(subject)}", "model": model, "vector": str(list(vector)), "most": most,
    }  # fmt: skip
    return [row["slot"] for row in await (await connection.execute(SEMANTIC["nearest"], params)).fetchall()]
