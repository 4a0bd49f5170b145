"""Takes sources out of our tables, and sees to it that what remains of them is a skeleton that tells nothing."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from psycopg.types.json import Jsonb

from trusted_memory.facts.schema import compared
from trusted_memory.storage.erasure.seal import Seals, fingerprint
from trusted_memory.storage.pool import Connection
from trusted_memory.storage.sql import named

RIGHTS = named("rights.sql")


@dataclass
class Remains:
    """One erasure, in the transaction that holds the subject's lock. `counts` says how many rows were reached."""

    connection: Connection
    secret: bytes
    subject: str
    slots: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    async def open(cls, connection: Connection, secret: bytes, subject: str) -> Self:
        """Lets this transaction erase, and keeps everybody from recording messages of the subject meanwhile."""
        await connection.execute(RIGHTS["erasing"], {"subject": subject})
        return cls(connection, secret, subject)

    async def take_out(self, names: Mapping[str, str]) -> None:
        """Remove the rows of these sources; `names` says what their skeletons are called."""
        params = {
            "sources": list(names),
            "names": Jsonb(dict(names)),
            "hashes": [fingerprint(self.secret, source) for source in names],
        }
        self.slots = {row["slot"] for row in await self._rows("slots_of_sources", **params)}
        for name in (
            "bare_withdrawals", "erase_statements", "rename_retired", "erase_ledger", "erase_accepted",
            "erase_messages", "mark_erased",
        ):  # fmt: skip
            self.counts[name] = await self._run(name, **params)

    async def seal(self) -> None:
        """In the slots touched, keep no value in clear that no statement supports any more."""
        slots = list(self.slots)
        self.counts["records"] = len(slots)
        left = await self._rows("evidence_left", slots=slots)
        said = {(row["slot"], row["key"]) for row in left if not row["bare"]}
        wordings = {(row["slot"], compared(row["value"])) for row in left if row["value"] is not None}
        await self._run("write_ledger_values", rows=Jsonb(await self._scrubbed(slots, wordings)))
        seals = Seals(self.secret, self.subject)
        clear = {slot for slot, _ in said}
        bare = [
            {
                "id": row["id"],
                "slot": row["slot"] if row["slot"] == row["attribute"] else seals.slot(row["slot"]),
                "key": seals.key(row["attribute"], row["key"]),
            }
            for row in left
            if row["bare"] and not row["sealed"] and row["key"] is not None
            and (row["slot"], row["key"]) not in said and (row["slot"] == row["attribute"] or row["slot"] not in clear)
        ]  # fmt: skip
        await self._run("seal_statements", rows=Jsonb(bare))
        names = Jsonb({slot: seals.slot(slot) for slot in slots if "=" in slot and slot not in clear})
        for name in ("seal_ledger", "clear_sealed_records", "seal_records"):
            await self._run(name, names=names)
        await self._run("drop_records", slots=[*slots, *(seals.slot(slot) for slot in slots)])

    async def _scrubbed(self, slots: Collection[str], wordings: Collection[tuple[str, str]]) -> list[dict[str, Any]]:
        """The ledger rows of these slots in which a value has to go, as they are without it."""
        left: dict[str, set[str]] = {}
        for slot, wording in wordings:
            left.setdefault(slot, set()).add(wording)
        rows = []
        for row in await self._rows("ledger_values", slots=slots):
            kept = {side: _without(row[side], left.get(row["slot"], ())) for side in ("before", "after")}
            if kept != {side: row[side] for side in kept}:
                rows.append({"id": row["id"], **kept})
        return rows

    async def _run(self, name: str, **params: Any) -> int:
        return (await self.connection.execute(RIGHTS[name], {"subject": self.subject, **params})).rowcount

    async def _rows(self, name: str, **params: Any) -> list[dict[str, Any]]:
        return await (await self.connection.execute(RIGHTS[name], {"subject": self.subject, **params})).fetchall()


def _without(brief: dict[str, Any] | None, wordings: Collection[str]) -> dict[str, Any] | None:
    """What the ledger remembers of a record, with only those values that statements still say."""
    if brief is None:
        return None
    value, values = brief.get("value"), brief.get("values") or []
    return brief | {
        "value": value if value is None or compared(value) in wordings else None,
        "values": [v for v in values if compared(v) in wordings],
    }
