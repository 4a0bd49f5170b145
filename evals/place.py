"""Where an evaluation runs: a fresh PostgreSQL database, gone afterwards, and models on this machine only."""

import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from graph.deps import Deps
from graph.settings import Settings
from support import shop
from trusted_memory.facts.schema import Schema
from trusted_memory.storage.pool import DatabaseUnreachable, unreachable

CHAT, EXTRACTION, SUMMARY = "chat", "extraction", "summary"  # one model a role, so that a server knows who asks


@contextmanager
def database() -> Iterator[str]:
    """A database of its own: on the server of APP_DATABASE_URI if that is set, else on an embedded one."""
    configured = Settings().database_uri
    if configured is None:
        from trusted_memory.offline.postgres import postgres_server  # noqa: PLC0415 - an extra

        with tempfile.TemporaryDirectory(prefix="evals-") as folder, postgres_server(Path(folder)) as uri:
            yield uri
        return
    server = configured.get_secret_value()
    name = f"scenario_{uuid.uuid4().hex[:12]}"
    _run(server, sql.SQL("create database {}").format(sql.Identifier(name)))
    try:
        yield psycopg.conninfo.make_conninfo(server, dbname=name)
    finally:
        _run(server, sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def _run(server: str, statement: sql.Composed) -> None:
    try:
        with psycopg.connect(server, autocommit=True, connect_timeout=5) as connection:
            connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        raise PermissionError(
            "an evaluation makes a database of its own and drops it; the user of APP_DATABASE_URI may not create "
            "databases. Grant CREATEDB, or unset APP_DATABASE_URI to use the embedded server."
        ) from error
    except psycopg.OperationalError as error:
        raise DatabaseUnreachable(unreachable(server)) from error


def settings_for(database_uri: str, model_url: str, **changes: Any) -> Settings:
    """Settings that no .env reaches. The models are where the evaluation says, without anybody's key."""
    values = {
        "database_uri": database_uri,
        "nvidia_base_url": model_url,
        "nvidia_api_key": None,
        "chat_model": CHAT,
        "extraction_model": EXTRACTION,
        "summary_model": SUMMARY,
        "secret": "for evaluations",
    }
    return Settings(_env_file=None, **(values | changes))


def shop_deps(settings: Settings, **changes: Any) -> Deps:
    """What the graphs stand on, over the engine's test domain and not the project's own."""
    return Deps(settings, **(shop.parts() | changes))


@asynccontextmanager
async def deps_for(settings: Settings, schema: Schema = shop.SCHEMA) -> AsyncIterator[Deps]:
    """The same, closed afterwards."""
    deps = shop_deps(settings, schema=schema)
    try:
        yield deps
    finally:
        await deps.database.close()
        deps.close()
