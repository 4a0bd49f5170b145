"""Erasing in LangGraph's checkpoints, on the connection of the erasing transaction.

The newest checkpoint is rewritten in place, so that a conversation goes on as before without what was erased; the older
ones, which only serve to go back in time, are dropped. What can't be read here (a class of a fork's own, another
serializer) can't be cut: where it may hold something erased, the whole state of that conversation goes.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg.types.json import Jsonb

from trusted_memory.storage.erasure.remains import RIGHTS
from trusted_memory.storage.erasure.traces import Traces
from trusted_memory.storage.ids import source_id
from trusted_memory.storage.pool import Connection
from trusted_memory.storage.transcript import digest

GONE: Any = object()
NAMES = ("id", "source", "message")  # what notes name a message by
SUMMARY = ("summary", "pinned")  # the channels in which folded messages live on


class Unreadable(Exception):
    """Erased words may stand in a value that can't be cut."""


@dataclass
class Cleaned:
    """What was reached. `dropped` are the conversations whose state had to go as a whole."""

    checkpoints: int = 0
    messages: int = 0
    summaries: int = 0
    dropped: list[str] = field(default_factory=list)


async def delete(connection: Connection, threads: Collection[str]) -> int:
    """Everything that is checkpointed of these conversations; returns the number of checkpoints."""
    params = {"threads": list(threads)}
    for name in ("delete_blobs", "delete_writes"):
        await connection.execute(RIGHTS[name], params)
    return (await connection.execute(RIGHTS["delete_checkpoints"], params)).rowcount


Saved = dict[str, list[dict[str, Any]]]


async def saved(connection: Connection, thread: str) -> Saved:
    """The rows of a conversation, to `restore` them once a host has deleted what it believes to be its own."""
    params = {"thread": thread}
    return {
        name: await (await connection.execute(RIGHTS[f"saved_{name}"], params)).fetchall()
        for name in ("checkpoints", "blobs", "writes")
    }


async def restore(connection: Connection, rows: Saved) -> None:
    async with connection.transaction():
        for name, found in rows.items():
            for row in found:
                whole = {column: Jsonb(v) if isinstance(v, dict) else v for column, v in row.items()}
                await connection.execute(RIGHTS[f"restore_{name}"], whole)


async def clean(connection: Connection, threads: Mapping[str, Collection[str]], cut: "Cut") -> Cleaned:
    """Take out of these conversations what `cut` finds; `threads` names the erased messages that were said in each."""
    cleaned, params = Cleaned(), dict[str, Any](threads=list(threads))
    heads = await (await connection.execute(RIGHTS["heads"], params)).fetchall()
    params["heads"] = Jsonb(heads)
    for name in ("prune_checkpoints", "prune_blobs", "prune_writes", "prune_parents"):
        pruned = (await connection.execute(RIGHTS[name], params)).rowcount
        cleaned.checkpoints += pruned if name == "prune_checkpoints" else 0
    kept: dict[str, list[_Value]] = {head["thread_id"]: [] for head in heads}
    for name in ("checkpoint", "blob", "write"):
        for row in await (await connection.execute(RIGHTS[f"{name}_values"], params)).fetchall():
            kept[row["thread_id"]].append(_Value(name, row))
    for thread, values in kept.items():
        before = cut.messages
        try:
            forgets = cut.folded(values, threads[thread])
            changed = [v for v in values if v.cut(cut, forgets=forgets)]
        except Unreadable:
            cleaned.checkpoints += await delete(connection, [thread])
            cleaned.dropped.append(thread)
            continue
        for value in changed:
            await connection.execute(RIGHTS[f"write_{value.name}"], value.row)
        cleaned.messages += cut.messages - before
        cleaned.summaries += forgets
    return cleaned


async def remembered(connection: Connection, threads: Collection[str]) -> dict[str, dict[str, Any]]:
    """The summary and the pinned list of each conversation, for those who may know everything."""
    found: dict[str, dict[str, Any]] = {}
    cut, params = Cut({}, Traces((), (), ())), {"threads": list(threads)}
    for name in ("checkpoint", "blob"):
        for row in await (await connection.execute(RIGHTS[f"head_{name}_values"], params)).fetchall():
            found.setdefault(row["thread_id"], {})[row["channel"]] = _Value(name, row).load(cut)
    return found


async def unsettled(connection: Connection, threads: Collection[str]) -> list[str]:
    """The conversations in which a turn seems to be on: a settled one leaves nothing but its report."""
    serde = JsonPlusSerializer(allowed_msgpack_modules=[])
    rows = await (await connection.execute(RIGHTS["recent_turns"], {"threads": list(threads)})).fetchall()
    readable = [row for row in rows if row["type"] in (None, "msgpack")]
    turns = {row["thread_id"]: row["blob"] and serde.loads_typed((row["type"], row["blob"])) for row in readable}
    return sorted(thread for thread, turn in turns.items() if not turn or set(turn) != {"report"})


class Cut:
    """Finds erased messages, and what repeats them, in the values of a state.

    `gone` are the ids of the erased messages as state has them. Where versions of an edited message are left, their
    digests are given: that message stays if it is one of them.
    """

    def __init__(self, gone: Mapping[str, Collection[str]], traces: Traces, serde: Any = None) -> None:
        self.gone = gone
        self.traces = traces
        self.serde = serde or JsonPlusSerializer(allowed_msgpack_modules=[])
        self.messages = 0

    def folded(self, values: "list[_Value]", erased: Collection[str]) -> bool:
        """Whether the summary may tell of it: an erased message isn't in state any more, or its words are in there."""
        remembered = [v.load(self) for v in values if v.channel in SUMMARY]
        if not any(remembered):
            return False
        here = {source_id(str(m.id)) for v in values if v.channel == "messages" for m in _messages(v.load(self))}
        return bool(set(erased) - here) or any(self.traces.left_in(str(value)) for value in remembered)

    def without(self, value: Any) -> Any:
        """The value without what is erased; GONE if nothing of it may stay."""
        match value:
            case BaseMessage():
                gone = self._is_gone(value)
                self.messages += gone
                return GONE if gone else value
            case str():
                return GONE if source_id(value) in self.gone or self.traces.left_in(value) else value
            case dict():
                if any(isinstance(name := value.get(key), str) and source_id(name) in self.gone for key in NAMES):
                    return GONE
                return {k: kept for k, v in value.items() if (kept := self.without(v)) is not GONE}
            case list() | tuple():
                kept = [k for v in value if (k := self.without(v)) is not GONE]
                return kept if isinstance(value, list) else tuple(kept)
            case bool() | int() | float() | None:
                return value
            case _ if self.traces.left_in(repr(value)):
                raise Unreadable(f"a {type(value).__name__} may hold what is erased")
            case _:
                return value

    def _is_gone(self, message: BaseMessage) -> bool:
        left = self.gone.get(source_id(str(message.id)))
        return left is not None and digest(message.text.strip()) not in left


class _Value:
    """One value of a checkpoint row, a blob or a pending write; `row` is what writes it back."""

    def __init__(self, name: str, row: dict[str, Any]) -> None:
        self.name = name
        self.row = row
        self.channel = str(row["channel"])

    def load(self, cut: Cut) -> Any:
        if self.name == "checkpoint":
            return self.row["value"]
        try:
            return cut.serde.loads_typed((self.row["type"], self.row["blob"]))
        except Exception as error:
            raise Unreadable(f"channel {self.channel}: {error}") from error

    def cut(self, cut: Cut, *, forgets: bool) -> bool:
        """Cut it out of the row; False if nothing had to go."""
        value = self.load(cut)
        kept = GONE if forgets and self.channel in SUMMARY else cut.without(value)
        if kept is GONE:
            kept = [] if isinstance(value, BaseMessage) else type(value)()
        if kept == value:
            return False
        if self.name == "checkpoint":
            self.row["value"] = Jsonb(kept)
        else:
            self.row["type"], self.row["blob"] = cut.serde.dumps_typed(kept)
        return True


def _messages(value: Any) -> Iterator[BaseMessage]:
    return (m for m in (value if isinstance(value, list) else [value]) if isinstance(m, BaseMessage))
