"""A customer's right to be forgotten: one message, one fact or everything, with a receipt of what was reached (F9)."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from trusted_memory.facts.words import Subject
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.erasure import checkpoints as conversations
from trusted_memory.storage.erasure.checkpoints import Cleaned, Cut
from trusted_memory.storage.erasure.host import Host
from trusted_memory.storage.erasure.remains import RIGHTS, Remains
from trusted_memory.storage.erasure.scope import Request, Scope, find
from trusted_memory.storage.ids import source_id, subject_id
from trusted_memory.storage.pool import Connection

UNREACHED = (
    "backups of the database, its write-ahead log, and deleted rows until PostgreSQL's vacuum has passed",
    "logs and traces of this application, of its host and of the model's provider",
    "systems of record that tools use, which keep what is theirs",
    "copies that clients of the customer keep",
)
NO_HOST = "the host's list of conversations and runs (langgraph dev, LangGraph server): give its address with --host"
PARAPHRASE = "what an assistant said about it in other words (summaries are dropped where that can be)"


async def forget(
    committer: Committer,
    subject: Subject,
    *,
    fact: str | None = None,
    source: str | None = None,
    now: datetime,
    host: Host | None = None,
) -> dict[str, Any]:
    """Erase, in one transaction, and say what was reached and what can't be. Doing it again changes nothing."""
    if fact is not None and source is not None:
        raise ValueError("forget one fact or one message, or neither of them for everything")
    request = Request(fact, None if source is None else source_id(source))
    erasure = _Erasure(committer, subject, request)
    listed: list[str] = []
    if host:
        # Asked before anything is erased. And a turn that is being answered would write its conversation again.
        listed = await host.conversations(erasure.sid)
        async with committer.database.connection() as connection:
            before = await erasure.scope_of(connection)
        for thread in erasure.affected(before, listed):
            await host.stop(thread)
    await committer.erase(subject, erasure.choose, now=now, finish=erasure.finish)
    reached = {"host_conversations": 0}
    if host:
        for thread in erasure.affected(erasure.scope, listed):
            reached["host_conversations"] += await erasure.forget_at(host, thread)
    return erasure.receipt(now, reached, host)


class _Erasure:
    """One request; what it found and reached. Its hooks run inside the erasing transaction, again on each retry."""

    def __init__(self, committer: Committer, subject: Subject, request: Request) -> None:
        self.committer, self.subject, self.request = committer, subject, request
        self.sid = subject_id(subject)
        self.scope = Scope()
        self.cleaned = Cleaned()
        self.counts: dict[str, int] = {}
        self.facts: dict[str, dict[str, Any]] = {}
        self.changed: list[dict[str, str]] = []
        self.busy: list[str] = []

    async def scope_of(self, connection: Connection) -> Scope:
        return await find(connection, self.sid, self.committer.key(), self.committer.schema, self.request)

    def affected(self, scope: Scope, listed: Collection[str]) -> list[str]:
        """The conversations of which something goes; all that a host lists if everything does."""
        if self.request.everything:
            return sorted({*scope.threads, *listed})
        return sorted(thread for thread, erased in scope.threads.items() if erased)

    async def choose(self, connection: Connection) -> set[str]:
        self.scope, self.facts = await self.scope_of(connection), await self._facts(connection)
        return self.scope.sources

    async def finish(self, remains: Remains) -> None:
        connection, threads = remains.connection, list(self.scope.threads)
        self.busy = await conversations.unsettled(connection, threads)
        remains.counts["jobs"] = 0
        await connection.execute(RIGHTS["drop_problems"], {"subject": self.sid})
        if self.request.everything:
            self.cleaned = Cleaned(await conversations.delete(connection, threads))
            await connection.execute(RIGHTS["drop_all_facts"], {"prefix": f"facts.{self.sid}"})
            await connection.execute(RIGHTS["drop_conversations"], {"subject": self.sid})
            remains.counts["jobs"] = (await connection.execute(RIGHTS["erase_jobs"], {"subject": self.sid})).rowcount
        elif self.scope.sources:
            emptied = await conversations.delete(connection, self.scope.emptied)
            kept = {thread: ids for thread, ids in self.scope.threads.items() if thread not in self.scope.emptied}
            self.cleaned = await conversations.clean(connection, kept, Cut(self.scope.gone, self.scope.traces))
            self.cleaned.checkpoints += emptied
        self.counts = remains.counts
        self.changed = _changes(self.facts, await self._facts(connection))

    async def forget_at(self, host: Host, thread: str) -> int:
        """Remove the host's copy, which holds the last state and every run's input. What we keep of it goes on."""
        async with self.committer.database.connection() as connection:
            rows = await conversations.saved(connection, thread)
            known = await host.delete(thread)
            if known is not None and not self.request.everything and thread not in self.scope.emptied:
                await conversations.restore(connection, rows)
                await host.make(thread, known)
        return known is not None

    def receipt(self, now: datetime, reached: Mapping[str, int], host: Host | None) -> dict[str, Any]:
        """It names no value and no message that was erased, so that it may be kept."""
        counts = self.counts
        unreached = [*UNREACHED, *([] if host else [NO_HOST]), *([] if self.request.everything else [PARAPHRASE])]
        if self.busy and not host:
            unreached.append(f"turns that seem to be answered just now in {', '.join(self.busy)}: run this again")
        what = "everything" if self.request.everything else "a message" if self.request.source else "a fact"
        return {
            "forgotten": what,
            "customer": {"tenant": self.subject.tenant, "user": self.subject.user},
            "at": now.isoformat(),
            "reached": {
                "messages": counts.get("erase_messages", 0),
                "messages_that_repeated_it": len(self.scope.repeated),
                "statements": counts.get("erase_statements", 0) + counts.get("bare_withdrawals", 0),
                "ledger_values": counts.get("erase_ledger", 0),
                "records": counts.get("records", 0),
                "facts": len(self.changed),
                "checkpoints": self.cleaned.checkpoints,
                "messages_in_conversations": self.cleaned.messages,
                "summaries": self.cleaned.summaries,
                "jobs": counts.get("jobs", 0),
                **reached,
            },
            "facts": self.changed,
            "conversations_dropped": sorted(t for t in {*self.cleaned.dropped, *self.scope.emptied} if t[:1] != "#"),
            "kept": {
                "tombstones_of_withdrawals": counts.get("bare_withdrawals", 0),
                "ledger_rows_without_values": counts.get("erase_ledger", 0),
                "keyed_hashes_of_message_ids": len(self.scope.sources),
            },
            "also_mentioned_in": self.scope.mentioned_in,
            "not_reached": unreached,
        }

    async def _facts(self, connection: Connection) -> dict[str, dict[str, Any]]:
        rows = await connection.execute(RIGHTS["shown_facts"], {"prefix": f"facts.{self.sid}"})
        return {row["slot"]: row for row in await rows.fetchall()}


def _changes(before: Mapping[str, dict[str, Any]], after: Mapping[str, dict[str, Any]]) -> list[dict[str, str]]:
    """What became of each fact, by attribute: other facts may rest on the same messages."""
    found = []
    for slot in sorted(before.keys() | after.keys()):
        old, new = before.get(slot), after.get(slot)
        if old == new:
            continue
        now = "gone" if new is None else "another value" if not old or old["value"] != new["value"] else "less support"
        found.append({"attribute": str((old or new or {})["attribute"]), "now": now})
    return found
