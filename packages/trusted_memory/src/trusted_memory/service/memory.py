"""Memory: the verbs of the first promise, for nodes, hosts and commands. Every write ends in the same commit (F8)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.tools import BaseTool

from trusted_memory.conversation.budget import Budget
from trusted_memory.facts.batch import Outcome, Reading
from trusted_memory.facts.schema import Schema, SystemOfRecord
from trusted_memory.facts.words import Subject
from trusted_memory.prompting import Prompts
from trusted_memory.reading.extract import extractor_version
from trusted_memory.service import intake, relevant, results, unread
from trusted_memory.service.lookups import make_lookups
from trusted_memory.service.notes import preview, store
from trusted_memory.storage import recall, transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.pool import Database
from trusted_memory.storage.transcript import Message

Notes = dict[str, Any]


@dataclass
class Memory:
    """Facts with provenance about each subject. Opens its database at first use; times are UTC, seconds are seconds.

    `key` gives the deployment's secret, `extraction` the model that reads; both are asked off the event loop's way.
    The notes that verbs take and give are a turn's plain dict in state: they inform, they prove nothing (F10).
    """

    database: Database
    schema: Schema
    prompts: Prompts
    budget: Budget
    key: Callable[[], bytes]
    extraction: Callable[[], Awaitable[BaseChatModel]]
    tool_facts: Mapping[str, SystemOfRecord] = field(default_factory=dict)
    embeddings: Embeddings | None = None
    embedding_model: str = ""
    reading_seconds: float = 20.0  # how long a customer waits for a correction to be read
    catch_up_seconds: float = 2.0  # and for what was left unread before

    @classmethod
    def by_hand(cls, database: Database, schema: Schema, key: Callable[[], bytes]) -> Self:
        """Without a model and its prompts: the claims are yours to bring (`record`, then `state`), nobody reads."""

        async def nobody() -> BaseChatModel:
            raise RuntimeError("this memory was made by hand, without a model: bring claims to `state` instead")

        return cls(database, schema, Prompts(None), Budget(), key, nobody)

    @cached_property
    def committer(self) -> Committer:
        return Committer(self.database, self.schema, self.key)

    @cached_property
    def extractor(self) -> str:
        """The name of this way of reading: it changes with the schema, the prompt and the engine's code."""
        return extractor_version(self.schema, self.prompts)

    async def receive(self, subject: Subject, thread: str, messages: Sequence[BaseMessage]) -> intake.Received:
        """Record what is new in a conversation, defer its reading, and say what of it can't wait.

        Raises NotYourConversation where the thread is somebody else's.
        """
        return await intake.receive(self, subject, thread, messages)

    async def read(self, subject: Subject, turn: Mapping[str, Any], *, background: bool = False) -> Notes:
        """Let the model read what can't wait (or in the background everything unread); failures leave it unread."""
        return await unread.read(self, subject, turn, background=background)

    async def preview(self, subject: Subject, turn: Mapping[str, Any]) -> list[Notes]:
        """What a commit of the turn's readings would decide now. Advice only."""
        return await preview(self, subject, turn)

    async def commit(self, subject: Subject, turn: Mapping[str, Any]) -> Notes:
        """Decide the turn's readings again under the subject's lock and apply them; what fails stays unread."""
        return await store(self, subject, turn)

    async def state(self, subject: Subject, readings: Sequence[Reading], *, extractor: str) -> list[Outcome]:
        """Commit claims about messages that are in the transcript, read by whomever `extractor` names."""
        return await self.committer.commit(subject, readings, extractor=extractor, now=datetime.now(UTC))

    async def record(self, subject: Subject, messages: Sequence[Message]) -> list[str]:
        """Write messages to the transcript, where they are not there yet; returns the ids of the new ones."""
        async with self.database.connection() as connection:
            return await transcript.record(connection, subject, messages, self.key())

    async def record_results(
        self, subject: Subject, thread: str, messages: Sequence[BaseMessage], answered: Sequence[ToolMessage]
    ) -> results.Results:
        """Record tool results in the transcript, and commit the facts that a system of record tells with them."""
        return await results.record(self, subject, thread, messages, answered)

    async def recall(self, subject: Subject, about: str = "") -> recall.Recalled:
        """What holds now; where it is more than a request has room for, what is nearest to `about` comes first."""
        async with self.database.connection() as connection:
            held = await recall.recall(connection, subject, self.schema, datetime.now(UTC))
        return await relevant.relevant_first(self, subject, held, about)

    async def index(self, subject: Subject) -> None:
        """Vectors for a subject about whom much is known; does nothing without embeddings."""
        await relevant.index_facts(self, subject)

    async def ledger(self, subject: Subject, *, most: int = 100) -> list[dict[str, Any]]:
        """The newest decisions about the subject, newest first."""
        async with self.database.connection() as connection:
            return await recall.ledger(connection, subject, most=most)

    @cached_property
    def lookups(self) -> list[BaseTool]:
        """What every domain has: tools that read the conversation's own transcript."""
        return make_lookups(self.database)
