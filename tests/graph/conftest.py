"""Whole turns of the assistant over a real PostgreSQL and a scripted model over HTTP."""

import uuid
from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
from psycopg import sql

from graph.deps import Deps
from graph.offline.model import demo
from graph.settings import Settings
from graph.storage.migrate import migrate
from tests.graph.talk import Talk, settings_for
from tests.scripted import ScriptedModel

SERVER = "postgresql://app@127.0.0.1:54329/"


@pytest.fixture(scope="session")
def template() -> Iterator[str]:
    import asyncio

    name = f"journey_template_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(SERVER + "postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        asyncio.run(migrate(SERVER + name))
        yield name
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def database_uri(template: str) -> Iterator[str]:
    name = f"journey_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(SERVER + "postgres", autocommit=True) as connection:
        names = sql.Identifier(name), sql.Identifier(template)
        connection.execute(sql.SQL("create database {} template {}").format(*names))
        yield SERVER + name
        connection.execute(sql.SQL("drop database {} with (force)").format(names[0]))


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """The demo model's rules, unless a test adds something to its script."""
    with ScriptedModel(otherwise=demo) as scripted:
        yield scripted


@pytest.fixture
def settings(database_uri: str, model: ScriptedModel) -> Settings:
    return settings_for(database_uri, model.base_url)


@pytest.fixture
async def deps(settings: Settings) -> AsyncIterator[Deps]:
    made = Deps(settings)
    yield made
    await made.database.close()
    made.close()


@pytest.fixture
async def talk(deps: Deps) -> AsyncIterator[Talk]:
    async with Talk.open(deps) as talking:
        yield talking
