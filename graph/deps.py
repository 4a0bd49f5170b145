"""The composition root: what the nodes stand on, made once for a process and opened at first use."""

import asyncio
import atexit
import hashlib
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from psycopg import sql

from graph.context import Context
from graph.core.budget import Budget
from graph.core.schema import Schema
from graph.domain import SCHEMA
from graph.lookups import make_lookups
from graph.models.counting import Calibration, count_tokens
from graph.models.embedding import embedder
from graph.models.nvidia import NVIDIA, Endpoint, chat_model
from graph.prompting import Prompts
from graph.settings import Settings, read_settings
from graph.storage.commit import Committer
from graph.storage.migrate import migrate
from graph.storage.pool import Database
from graph.tools import Rows, make_tools

DEMO_MODEL = "offline-demo"
DEFAULT_MODEL = "meta/llama-3.3-70b-instruct"


@dataclass
class Models:
    """The three roles, configurable apart. The summarizer binds the summary's `max_tokens` again."""

    chat: NVIDIA
    extraction: NVIDIA
    summary: NVIDIA


@dataclass
class Deps:
    """Everything a node may need. `opened` are the embedded parts, closed with the process or by `close`."""

    settings: Settings
    schema: Schema = field(default_factory=lambda: SCHEMA)
    prompts: Prompts = field(default_factory=Prompts)
    opened: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        atexit.register(self.opened.close)

    @property
    def budget(self) -> Budget:
        return self.settings.budget

    @cached_property
    def calibration(self) -> Calibration:
        """Learns from the usage that models report."""
        return Calibration()

    def count(self, messages: Sequence[BaseMessage], tools: Sequence[Any]) -> int:
        """Tokens of a request, estimated high: by our counter, corrected by what the model has reported."""
        return self.calibration.apply(count_tokens(messages, tools))

    @cached_property
    def database(self) -> Database:
        settings = self.settings
        return Database(self._database_uri, max_size=settings.pool_size, prepare=self._prepare)

    async def _prepare(self, uri: str) -> None:
        await asyncio.to_thread(lambda: self.key)
        if self.settings.auto_migrate:
            await self.migrate(uri)

    async def migrate(self, uri: str) -> list[str]:
        """Bring the database up to date; returns the names of the migrations applied."""
        return await migrate(uri, vectors=bool(self.settings.embedding_model))

    @cached_property
    def key(self) -> bytes:
        """The deployment's secret, for fingerprints of erased sources."""
        secret = self.settings.secret.get_secret_value() if self.settings.secret else self._kept_secret()
        return hashlib.sha256(secret.encode()).digest()

    @cached_property
    def committer(self) -> Committer:
        return Committer(self.database, self.schema, lambda: self.key)

    def check_prompts(self) -> None:
        """Raises PromptError where a prompt is missing or asks for what nobody fills."""
        self.prompts.check(assistant={"today", "language"}, summarize={"words"})

    def instructions(self, context: Context | None, now: datetime) -> str:
        """Our system message: the only one a request has."""
        language = f" ({context.language})" if context and context.language else ""
        return self.prompts.render("assistant", today=f"{now:%A, %d %B %Y}", language=language)

    @cached_property
    def tools(self) -> list[BaseTool]:
        return make_tools(self._query)

    @cached_property
    def lookups(self) -> list[BaseTool]:
        """What every domain has: tools that read this conversation's own transcript."""
        return make_lookups(self.database)

    @cached_property
    def offered(self) -> list[dict[str, Any]]:
        """All tools as they go over the wire. Made once: a turn counts and sends them half a dozen times."""
        return [convert_to_openai_tool(tool) for tool in (*self.tools, *self.lookups)]

    async def models(self) -> Models:
        """The models, made off the event loop: starting the demo server and building clients both block."""
        if "_models" not in self.__dict__:
            await asyncio.to_thread(lambda: self._models)
        return self._models

    @cached_property
    def _models(self) -> Models:
        settings, budget = self.settings, self.settings.budget
        base_url = self._demo_model() if settings.offline_model else settings.nvidia_base_url
        chat = DEMO_MODEL if settings.offline_model else settings.chat_model or DEFAULT_MODEL
        endpoint = Endpoint(base_url, settings.api_key, settings.model_timeout)
        reading = Endpoint(base_url, settings.api_key, settings.extraction_timeout)
        folding = Endpoint(base_url, settings.api_key, settings.summary_timeout)
        return Models(
            chat_model(endpoint, chat, max_tokens=budget.output_reserve),
            chat_model(reading, settings.extraction_model or chat, max_tokens=budget.output_reserve),
            chat_model(folding, settings.summary_model or chat, max_tokens=budget.summary),
        )

    @cached_property
    def embeddings(self) -> Embeddings | None:
        """For semantic recall, where APP_EMBEDDING_MODEL names a model."""
        settings = self.settings
        if not settings.embedding_model:
            return None
        url = settings.embedding_base_url or settings.nvidia_base_url
        return embedder(Endpoint(url, settings.api_key, settings.model_timeout), settings.embedding_model)

    def close(self) -> None:
        self.opened.close()

    def _database_uri(self) -> str:
        if self.settings.database_uri:
            return self.settings.database_uri.get_secret_value()
        from graph.offline.postgres import postgres_server  # noqa: PLC0415  # an extra, absent from a server image

        return str(self.opened.enter_context(postgres_server(self.settings.data_dir)))

    def _demo_model(self) -> str:
        from graph.offline.model import demo_model  # noqa: PLC0415  # an extra, absent from a server image

        return self.opened.enter_context(demo_model())

    def _kept_secret(self) -> str:
        """A random secret beside the data, made once: fine for one machine, no good for several."""
        path = self.settings.data_dir / "secret"
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("x") as file:
                path.chmod(0o600)
                file.write(secrets.token_hex(32))
        except FileExistsError:
            pass
        return path.read_text()

    async def _query(self, statement: Any, params: dict[str, Any]) -> Rows:
        async with self.database.connection() as connection:
            return await (await connection.execute(sql.SQL(statement), params)).fetchall()


_shared: dict[str, Deps] = {}


def deps() -> Deps:
    """The process's own. Hosts load the files of langgraph.json under other names; this module is always the same."""
    return _shared.setdefault("deps", Deps(read_settings()))
