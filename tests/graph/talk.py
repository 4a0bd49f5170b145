"""A conversation with the assistant of this project, over the engine's test domain: see support/talk.py."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self

from evals.place import shop_deps
from graph.application import application
from graph.deploy import open_assistant
from graph.deps import Deps
from graph.settings import Settings
from support import talk
from support.talk import OTHER, THIRD, THREAD, Turn, config, decided, subject

__all__ = ["OTHER", "THIRD", "THREAD", "Talk", "Turn", "config", "decided", "settings_for", "subject"]


def settings_for(database_uri: str, model_url: str, **changes: Any) -> Settings:
    """Settings that no .env and no variable of the developer's reaches."""
    values: dict[str, Any] = {
        "database_uri": database_uri, "nvidia_base_url": model_url, "chat_model": "scripted", "secret": "for tests",
        "auto_migrate": False, "model_timeout": 10.0, "extraction_timeout": 5.0,
    }  # fmt: skip
    return Settings(_env_file=None, **(values | changes))


@dataclass
class Talk(talk.Talk):
    """The assistant in plain Python; background reading happens when a test calls `drain`."""

    deps: Deps

    @classmethod
    @asynccontextmanager
    async def open(cls, deps: Deps, *, background: bool = False) -> AsyncIterator[Self]:
        async with open_assistant(deps=deps, background=background) as assistant:
            yield cls(application(deps), assistant, deps)

    @classmethod
    @asynccontextmanager
    async def with_settings(cls, settings: Settings) -> AsyncIterator[Self]:
        deps = shop_deps(settings)
        try:
            async with cls.open(deps) as talk:
                yield talk
        finally:
            await deps.database.close()
