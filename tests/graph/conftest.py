"""Whole turns of the assistant over a real PostgreSQL and a scripted model over HTTP."""

from collections.abc import AsyncIterator, Iterator

import pytest

from evals.place import shop_deps
from graph.deps import Deps
from graph.settings import Settings
from support.scripted import ScriptedModel
from tests.graph.talk import Talk, settings_for
from trusted_memory.offline.model import demo


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
    made = shop_deps(settings)
    yield made
    await made.database.close()
    made.close()


@pytest.fixture
async def talk(deps: Deps) -> AsyncIterator[Talk]:
    async with Talk.open(deps) as talking:
        yield talking
