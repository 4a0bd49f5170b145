"""A real PostgreSQL for every test that asks: one server for the session, one database a test.

APP_TEST_DATABASE_URI names a server whose role may create databases; without it an embedded one is started.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import conninfo, sql

from trusted_memory.facts.schema import Attribute, Schema, schema
from trusted_memory.facts.words import Subject

if TYPE_CHECKING:  # pure tests load this file too, and shall not wait for a driver, a server or LangGraph
    from collections.abc import AsyncIterator, Iterator

    from trusted_memory.storage.commit import Committer
    from trusted_memory.storage.pool import Database


def on(server: str, dbname: str) -> str:
    """The URI of another database of the same server."""
    return conninfo.make_conninfo(server, dbname=dbname)


def _create(server: str, name: str, template: str | None = None) -> None:
    copied = sql.SQL(" template {}").format(sql.Identifier(template)) if template else sql.SQL("")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)) + copied)


def _drop(server: str, name: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def database_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URI of a server on which databases can be created."""
    if given := os.environ.get("APP_TEST_DATABASE_URI"):
        yield given
        return
    from trusted_memory.offline.postgres import postgres_server

    with postgres_server(tmp_path_factory.mktemp("server"), fast=True) as uri:
        yield uri


@pytest.fixture(scope="session")
def migrated_template(database_server: str) -> Iterator[str]:
    """Name of a migrated database to copy from: 40 ms a copy instead of 300 ms a migration."""
    from support.shop import MIGRATIONS
    from trusted_memory.storage.migrate import migrate

    name = f"template_{uuid.uuid4().hex[:12]}"
    _create(database_server, name)
    try:
        asyncio.run(migrate(on(database_server, name), ours=MIGRATIONS))
        yield name
    finally:
        _drop(database_server, name)


@pytest.fixture
def empty_database_uri(database_server: str) -> Iterator[str]:
    """A database of the test's own with nothing in it, not even our schema."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    _create(database_server, name)
    yield on(database_server, name)
    _drop(database_server, name)


@pytest.fixture
def database_uri(database_server: str, migrated_template: str) -> Iterator[str]:
    """A migrated, empty database of the test's own."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    _create(database_server, name, migrated_template)
    yield on(database_server, name)
    _drop(database_server, name)


@pytest.fixture
async def database(database_uri: str) -> AsyncIterator[Database]:
    """The product's own connections to that database."""
    from trusted_memory.storage.pool import Database

    opened = Database(database_uri)
    yield opened
    await opened.close()


# What most storage tests remember: a single value, one that asks, many values, and two systems that can disagree.
SCHEMA: Schema = schema(
    [
        Attribute("window", "When to deliver."),
        Attribute("name", "What to call the customer.", within_origin="ask"),
        Attribute("allergy", "What to avoid.", many=True),
        Attribute(
            "tier",
            "Which tier the customer has.",
            authority=(("tool:account", "tool:loyalty"), ("user",)),
            between_origins="conflict",
        ),
    ]
)


@pytest.fixture
def committer(database: Database) -> Committer:
    """Commits into that database, with a fixed key for fingerprints."""
    from trusted_memory.storage.commit import Committer

    return Committer(database, SCHEMA, lambda: b"a key of the tests")


@pytest.fixture
def subject() -> Subject:
    """A customer; identity has no default anywhere else."""
    return Subject("shop", "ana")
