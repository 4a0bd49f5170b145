"""intake: who is speaking, what may be shown, what is new; records it and decides whether it is urgent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from graph.context import Context, identify
from graph.core.gate import might_correct, urgent
from graph.core.reduce import CountText, reduce_text
from graph.core.schema import Schema
from graph.core.utterance import asks, mentions, sentences
from graph.deps import Deps
from graph.domain import CUSTOMER
from graph.models.counting import count_text
from graph.nodes.messages import calls_of, pictures_of, text_of
from graph.state import State
from graph.storage import jobs, transcript
from graph.storage.ownership import claim
from graph.storage.pool import transaction
from graph.storage.recall import Recalled, recall
from graph.storage.transcript import Message, Written, digest

Kept = TypeVar("Kept", bound=BaseMessage)


class NoThread(ValueError):
    """A conversation needs a thread_id."""


def thread_of(config: RunnableConfig) -> str:
    thread = (config.get("configurable") or {}).get("thread_id")
    if not thread:
        raise NoThread('pass the conversation: config={"configurable": {"thread_id": …}}')
    return str(thread)


def spoken(message: BaseMessage) -> str:
    """What the transcript keeps of a message: its text, and the calls of an assistant's."""
    calls = [f"[calls {c['name']}({c['args']})]" for c in calls_of(message)]
    return transcript.storable("\n".join([text_of(message), *calls]).strip())


def kept(message: Kept, cap: int, question: str, count: CountText) -> Kept:
    """The form that state keeps: storable, and within its cap; the transcript has the rest."""
    text = reduce_text(spoken(message), cap, question, str(message.id), count)
    if calls_of(message) or text == text_of(message):
        return message
    pictures = pictures_of(message)
    return message.model_copy(update={"content": [{"type": "text", "text": text}, *pictures] if pictures else text})


def source_ids(message: BaseMessage, thread: str, said: str) -> tuple[str, str]:
    """The id of a message as state keeps it, and the one it gets where that id stands for something else (an edit)."""
    return str(message.id), f"{message.id}~{digest(f'{thread} {message.id} {said}')[:12]}"


async def intake(state: State, config: RunnableConfig, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    subject, thread, now = identify(runtime), thread_of(config), datetime.now(UTC)
    sent = state["messages"]
    last: Any = state.get("turn")  # somebody may have edited it
    report = last.get("report") if isinstance(last, dict) else None
    messages = [kept(m, deps.budget.message, "", count_text) if isinstance(m, HumanMessage) else m for m in sent]
    exact = {m.id: spoken(m) for m in sent}
    async with deps.database.connection() as connection:
        await claim(connection, subject, thread)  # here too: another host's checkpointer doesn't ask
        words = {m.id: spoken(m) for m in messages}
        ids = [source for m in messages for source in source_ids(m, thread, words[m.id])]
        known = _Known(await transcript.known(connection, subject, ids, thread), thread, words)
        foreign = [m for m in messages if not known.is_ours(m)]
        new = [m for m in foreign if isinstance(m, HumanMessage)]
        refused = [m for m in foreign if not isinstance(m, HumanMessage)]
        said = [Message(known.free(m), thread, "user", CUSTOMER, now, exact[m.id], kept=words[m.id]) for m in new]
        held = await recall(connection, subject, deps.schema, now)
        live = live_values(held)
        urgency = {m.id: urgent(text_of(m), _before(messages, m), live, deps.schema) for m in new}
        written = Written([], set())
        if said:
            this_turn = deps.settings.extraction_timeout + 1 if any(urgency.values()) else 0
            async with transaction(connection):
                outcome = await transcript.write(connection, subject, said, deps.key)
                await jobs.defer(connection, subject, after=this_turn)
                written = await outcome()
        unread = await transcript.unread(connection, subject)
    forgotten = [m for m in new if known.free(m) in written.gone]
    new = [m for m in new if m not in forgotten]
    recorded = written.new
    why = [urgency[m.id] for m in new]
    leftovers = [
        row["source"]
        for row in unread
        if row["source"] not in recorded and might_correct(row["text"], live, deps.schema)
    ]
    # What was erased may come back with a client's copy of the conversation: it stays erased (F9).
    update: list[BaseMessage] = [RemoveMessage(id=str(m.id)) for m in [*refused, *forgotten]]
    update += [m for m, before in zip(messages, sent, strict=True) if m is not before and m not in forgotten]
    update += [change for m in new if m is not messages[-1] for change in moved(m, known.free(m))]
    return {
        "messages": update,
        "turn": {
            "now": now.isoformat(),
            "fold_failed": isinstance(report, dict) and bool(report.get("fold_failed")),
            "new": recorded,
            "urgent": any(why),
            "why": next((u.why for u in why if u), "ordinary"),
            "leftovers": leftovers,
            "telling": any(may_state(text_of(m), deps.schema) for m in new),
            "refused": [f"{m.type} message {m.id}" for m in refused],
        },
    }


def moved(message: BaseMessage, source: str) -> list[BaseMessage]:
    """An edit is said now: it goes to the end, under its own id. State has put it where the first version stood."""
    if source == message.id:
        return []
    return [RemoveMessage(id=str(message.id)), message.model_copy(update={"id": source})]


def answered(state: State) -> bool:
    """Nothing is left to answer: the last message is the assistant's, and it waits for no tool."""
    last = state["messages"][-1] if state["messages"] else None
    return last is None or (isinstance(last, AIMessage) and not last.tool_calls)


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


def may_state(text: str, schema: Schema) -> bool:
    """Whether a message, other than in a question, speaks of anything that memory keeps."""
    return any(mentions(s, a) is not None for s in sentences(text) if not asks(s) for a in schema.values())


def _before(messages: Sequence[BaseMessage], message: BaseMessage) -> str:
    """The assistant's last words before a message."""
    at = next(i for i, m in enumerate(messages) if m.id == message.id)
    return next((text_of(m) for m in reversed(messages[:at]) if isinstance(m, AIMessage) and text_of(m)), "")


def live_values(held: Recalled) -> dict[str, list[str]]:
    live: dict[str, list[str]] = {}
    for fact in held.facts.values():
        live.setdefault(fact["attribute"], []).append(str(fact["value"]))
    for record in held.conflicts.values():
        live.setdefault(record.attribute, []).extend(record.values)
    return live
