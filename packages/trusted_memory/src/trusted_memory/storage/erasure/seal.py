"""Keyed hashes: they recognise what was erased without keeping it. The key is the deployment's secret.

Whoever has only the database can't find out what a hash stands for, not even by trying likely ids or values.
"""

import hashlib
import hmac
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trusted_memory.storage.ids import source_id


def fingerprint(secret: bytes, source: str) -> bytes:
    """Keyed hash of a source id: a redelivery of what was erased stays a no-op."""
    return hmac.digest(secret, source_id(source).encode(), hashlib.sha256)


def tombstone(fingerprint: bytes) -> str:
    """The name that the skeleton of an erased source has."""
    return f"erased:{fingerprint.hex()}"


def slot_attribute(slot: str) -> str:
    """The attribute of a slot; names of attributes hold no `=`."""
    return slot.partition("=")[0]


@dataclass(frozen=True, slots=True)
class Seals:
    """Seals the values of one subject that erased withdrawals named, so that they can't return and can't be read."""

    secret: bytes
    subject: str

    def key(self, attribute: str, key: str) -> str:
        """What stands for the identity of a value."""
        text = f"value\0{self.subject}\0{attribute}\0{key}"
        return f"sealed:{hmac.digest(self.secret, text.encode(), hashlib.sha256).hex()}"

    def slot(self, slot: str) -> str:
        """The name of a slot without the value that it carries where an attribute has many."""
        attribute, many, key = slot.partition("=")
        return f"{attribute}={self.key(attribute, key)}" if many else slot

    def opened(
        self, rows: Sequence[Mapping[str, Any]], named: Mapping[str, Collection[str]]
    ) -> tuple[list[Mapping[str, Any]], list[dict[str, Any]]]:
        """Statement rows with the sealed ones opened that are about values somebody names; and how each was opened.

        `named` are the slots that are asked for, with the keys that claims name. A sealed row of another slot is left
        out: nothing that is asked for depends on it.
        """
        if not any(row["sealed"] for row in rows):
            return list(rows), []
        keys = {(slot_attribute(slot), key) for slot, found in named.items() for key in found}
        keys |= {(row["attribute"], row["key"]) for row in rows if row["key"] is not None and not row["sealed"]}
        clear = {(attribute, self.key(attribute, key)): key for attribute, key in keys}
        read: list[Mapping[str, Any]] = []
        opened: list[dict[str, Any]] = []
        for row in rows:
            key = clear.get((row["attribute"], row["key"])) if row["sealed"] else None
            if key is not None:
                slot = row["slot"] if row["slot"] == row["attribute"] else f"{row['attribute']}={key}"
                opened.append({"id": row["id"], "slot": slot, "key": key, "sealed": row["slot"]})
                read.append({**row, "slot": slot, "key": key})
            elif not row["sealed"] or row["slot"] == row["attribute"] or row["slot"] in named:
                read.append(row)
        return read, opened
