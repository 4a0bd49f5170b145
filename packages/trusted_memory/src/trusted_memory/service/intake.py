"""What is new in a conversation: recorded, its reading deferred, and whether any of it can't wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage

from trusted_memory.conversation.messages import kept, spoken, text_of
from trusted_memory.facts.words import CUSTOMER, Subject
from trusted_memory.models.counting import count_text
from trusted_memory.reading.gate import may_state, might_correct, urgent
from trusted_memory.storage import jobs, transcript
from trusted_memory.storage.ownership import claim
from trusted_memory.storage.pool import transaction
from trusted_memory.storage.recall import Recalled, recall
from trusted_memory.storage.sql import storable
from trusted_memory.storage.transcript import Message, Written, digest

if TYPE_CHECKING:
    from trusted_memory.service.memory import Memory


@dataclass(frozen=True, slots=True)
class Received:
    """What came in: `changes` put the history in order, `notes` are the turn's."""

    changes: list[BaseMessage]
    notes: dict[str, Any]


async def receive(memory: Memory, subject: Subject, thread: str, sent: Sequence[BaseMessage]) -> Received:
    """Record new customer messages and defer their reading, in one transaction; refuse what clients may not send."""
    now, budget = datetime.now(UTC), memory.budget
    messages = [kept(m, budget.message, "", count_text) if isinstance(m, HumanMessage) else m for m in sent]
    exact = {m.id: _storable(m) for m in sent}
    async with memory.database.connection() as connection:
        await claim(connection, subject, thread)  # here too: another host's checkpointer doesn't ask
        words = {m.id: _storable(m) for m in messages}
        ids = [source for m in messages for source in source_ids(m, thread, words[m.id])]
        known = _Known(await transcript.known(connection, subject, ids, thread), thread, words)
        foreign = [m for m in messages if not known.is_ours(m)]
        new = [m for m in foreign if isinstance(m, HumanMessage)]
        refused = [m for m in foreign if not isinstance(m, HumanMessage)]
        said = [Message(known.free(m), thread, "user", CUSTOMER, now, exact[m.id], kept=words[m.id]) for m in new]
        live = live_values(await recall(connection, subject, memory.schema, now))
        urgency = {m.id: urgent(text_of(m), _before(messages, m), live, memory.schema) for m in new}
        written = Written([], set())
        if said:
            this_turn = memory.reading_seconds + 1 if any(urgency.values()) else 0
            async with transaction(connection):
                outcome = await transcript.write(connection, subject, said, memory.key())
                await jobs.defer(connection, subject, after=this_turn)
                written = await outcome()
        unread = await transcript.unread(connection, subject)
    forgotten = [m for m in new if known.free(m) in written.gone]
    new = [m for m in new if m not in forgotten]
    why = [urgency[m.id] for m in new]
    leftovers = [
        row["source"]
        for row in unread
        if row["source"] not in written.new and might_correct(row["text"], live, memory.schema)
    ]
    # What was erased may come back with a client's copy of the conversation: it stays erased (F9).
    changes: list[BaseMessage] = [RemoveMessage(id=str(m.id)) for m in [*refused, *forgotten]]
    changes += [m for m, before in zip(messages, sent, strict=True) if m is not before and m not in forgotten]
    changes += [change for m in new if m is not messages[-1] for change in moved(m, known.free(m))]
    return Received(
        changes,
        {
            "now": now.isoformat(),
            "new": written.new,
            "urgent": any(why),
            "why": next((u.why for u in why if u), "ordinary"),
            "leftovers": leftovers,
            "telling": any(may_state(text_of(m), memory.schema) for m in new),
            "refused": [f"{m.type} message {m.id}" for m in refused],
        },
    )


def source_ids(message: BaseMessage, thread: str, said: str) -> tuple[str, str]:
    """The id of a message as state keeps it, and the one it gets where that id stands for something else (an edit)."""
    return str(message.id), f"{message.id}~{digest(f'{thread} {message.id} {said}')[:12]}"


def moved(message: BaseMessage, source: str) -> list[BaseMessage]:
    """An edit is said now: it goes to the end, under its own id. State has put it where the first version stood."""
    if source == message.id:
        return []
    return [RemoveMessage(id=str(message.id)), message.model_copy(update={"id": source})]


def live_values(held: Recalled) -> dict[str, list[str]]:
    """What is believed or disputed, by attribute."""
    live: dict[str, list[str]] = {}
    for fact in held.facts.values():
        live.setdefault(fact["attribute"], []).append(str(fact["value"]))
    for record in held.conflicts.values():
        live.setdefault(record.attribute, []).extend(record.values)
    return live


def _storable(message: BaseMessage) -> str:
    return storable(spoken(message))


@dataclass(frozen=True)
class _Known:
    """What the transcript holds under the ids that the messages of this state may have."""

    rows: dict[str, dict[str, Any]]
    thread: str
    words: dict[str | None, str]  # of each message, by its id: they are asked for several times

    def is_ours(self, m: BaseMessage) -> bool:
        """Recorded by us for this subject, exactly as it stands here; only a customer's own words may travel."""
        kind = {"human": "user", "ai": "assistant", "tool": "tool"}.get(m.type)
        said = self.words[m.id]
        found = [row for source in source_ids(m, self.thread, said) if (row := self.rows.get(source))]
        return any(
            row["kind"] == kind and digest(said) in (row["digest"], row["exact"]) and (kind == "user" or row["here"])
            for row in found
        )

    def free(self, m: BaseMessage) -> str:
        """The source id of a new message: its own, unless that stands for something else already (an edit)."""
        own, other = source_ids(m, self.thread, self.words[m.id])
        return other if own in self.rows else own


def _before(messages: Sequence[BaseMessage], message: BaseMessage) -> str:
    """The assistant's last words before a message."""
    at = next(i for i, m in enumerate(messages) if m.id == message.id)
    return next((text_of(m) for m in reversed(messages[:at]) if isinstance(m, AIMessage) and text_of(m)), "")
