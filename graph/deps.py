"""The composition root: what the nodes stand on, made once for a process and opened at first use."""

import asyncio
import atexit
import hashlib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from psycopg import sql

from graph.context import Context
from graph.domain import SCHEMA, TOOL_FACTS
from graph.models import Models, make_embeddings, make_models
from graph.settings import Settings, read_settings
from graph.tools import Query, Rows, make_tools
from trusted_memory import Conversation, Database, Memory, Prompts, Schema, SystemOfRecord, kept_secret, migrate


@dataclass
class Deps:
    """Everything a node may need; the domain is the project's own unless another is given. `opened` are the embedded
    parts, closed with the process or by `close`.
    """

    settings: Settings
    schema: Schema = field(default_factory=lambda: SCHEMA)
    prompts: Prompts = field(default_factory=Prompts)
    tool_facts: Mapping[str, SystemOfRecord] = field(default_factory=lambda: TOOL_FACTS)
    make_tools: Callable[[Query], list[BaseTool]] = make_tools
    migrations: Path = Path(__file__).parent / "migrations"
    opened: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        atexit.register(self.opened.close)

    @cached_property
    def memory(self) -> Memory:
        """The first promise: facts with provenance."""
        settings = self.settings
        return Memory(
            self.database,
            self.schema,
            self.prompts,
            settings.budget,
            lambda: self.key,
            self.extraction_model,
            self.tool_facts,
            make_embeddings(settings),
            settings.embedding_model or "",
            settings.extraction_timeout,
            settings.catch_up_seconds,
        )

    @cached_property
    def conversation(self) -> Conversation:
        """The second promise: requests within their budget, and a history that loses nothing."""
        budget, key, seconds = self.settings.budget, lambda: self.key, self.settings.summary_timeout
        return Conversation(self.database, self.prompts, budget, key, self.chat_model, self.summary_model, seconds)

    @cached_property
    def database(self) -> Database:
        return Database(self._database_uri, max_size=self.settings.pool_size, prepare=self._prepare)

    async def _prepare(self, uri: str) -> None:
        await asyncio.to_thread(lambda: self.key)
        if self.settings.auto_migrate:
            await self.migrate(uri)

    async def migrate(self, uri: str) -> list[str]:
        """Bring the database up to date, the engine's tables and ours; returns the names of the migrations applied."""
        return await migrate(uri, vectors=bool(self.settings.embedding_model), ours=self.migrations)

    @cached_property
    def key(self) -> bytes:
        """The deployment's secret, for fingerprints of erased sources."""
        secret = (
            self.settings.secret.get_secret_value() if self.settings.secret else kept_secret(self.settings.data_dir)
        )
        return hashlib.sha256(secret.encode()).digest()

    def instructions(self, context: Context | None = None) -> str:
        """Our system message: the only one a request has. Raises PromptError."""
        self.prompts.check(assistant={"today", "language"}, summarize={"words"})
        language = f" ({context.language})" if context and context.language else ""
        return self.prompts.render("assistant", today=f"{datetime.now(UTC):%A, %d %B %Y}", language=language)

    @cached_property
    def tools(self) -> list[BaseTool]:
        """The domain's tools, and those that read the conversation's own transcript."""
        return [*self.make_tools(self._query), *self.memory.lookups]

    @cached_property
    def offered(self) -> list[dict[str, Any]]:
        """All tools as they go over the wire. Made once: a turn counts and sends them half a dozen times."""
        return [convert_to_openai_tool(tool) for tool in self.tools]

    async def models(self) -> Models:
        """The models, made off the event loop: starting the demo server and building clients both block."""
        if "_models" not in self.__dict__:
            await asyncio.to_thread(lambda: self._models)
        return self._models

    @cached_property
    def _models(self) -> Models:
        return make_models(self.settings, self.opened)

    async def chat_model(self) -> Any:
        return (await self.models()).chat

    async def extraction_model(self) -> Any:
        return (await self.models()).extraction

    async def summary_model(self) -> Any:
        return (await self.models()).summary

    def close(self) -> None:
        self.opened.close()

    def _database_uri(self) -> str:
        if self.settings.database_uri:
            return self.settings.database_uri.get_secret_value()
        from trusted_memory.offline.postgres import postgres_server  # noqa: PLC0415  # an extra, not in a server image

        return str(self.opened.enter_context(postgres_server(self.settings.data_dir)))

    async def _query(self, statement: Any, params: dict[str, Any]) -> Rows:
        async with self.database.connection() as connection:
            return await (await connection.execute(sql.SQL(statement), params)).fetchall()


_shared: dict[str, Deps] = {}


def deps() -> Deps:
    """The process's own. Hosts load the files of langgraph.json under other names; this module is always the same."""
    return _shared.setdefault("deps", Deps(read_settings()))
