"""What a request to forget reaches: the messages asked for, and the assistant's words that only repeat them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from trusted_memory.facts.schema import Schema, compared
from trusted_memory.storage.erasure.remains import RIGHTS
from trusted_memory.storage.erasure.seal import fingerprint
from trusted_memory.storage.erasure.traces import Traces
from trusted_memory.storage.pool import Connection
from trusted_memory.storage.sql import QUERIES

_EDIT = re.compile(r"~[0-9a-f]{12}$")  # the source of an edited message is its id and a digest; see nodes/intake.py


@dataclass(frozen=True, slots=True)
class Request:
    """One of the two, or neither: everything. A fact is a slot, or an attribute with all its values."""

    fact: str | None = None
    source: str | None = None

    @property
    def everything(self) -> bool:
        return self.fact is None and self.source is None


@dataclass
class Scope:
    """What is erased. `asked` are the messages asked for, `repeated` what the assistant or a tool repeated of them."""

    asked: set[str] = field(default_factory=set)
    repeated: set[str] = field(default_factory=set)
    threads: dict[str, set[str]] = field(default_factory=dict)  # all of the subject's, with the messages that go
    emptied: set[str] = field(default_factory=set)  # conversations of which nothing is left
    gone: dict[str, set[str]] = field(default_factory=dict)  # ids in state → digests of versions that stay
    traces: Traces = field(default_factory=lambda: Traces((), (), ()))
    mentioned_in: list[str] = field(default_factory=list)  # other messages that name what is erased

    @property
    def sources(self) -> set[str]:
        return self.asked | self.repeated


async def find(connection: Connection, sid: str, secret: bytes, schema: Schema, request: Request) -> Scope:
    """Read under the subject's lock. Raises LookupError where the customer has no such message or fact."""
    scope = Scope()
    if request.source is not None:
        scope.asked = await _source(connection, sid, secret, request.source)
    elif request.fact is not None:
        scope.asked = await _fact(connection, sid, schema, request.fact)
    else:
        rows = await _rows(connection, "everything", subject=sid)
        scope.asked = {row["source"] for row in rows}
    transcript = await _rows(connection, "whole_transcript", subject=sid, sources=list(scope.asked))
    if not request.everything:
        asked = [row["text"] for row in transcript if row["source"] in scope.asked]
        others = [row["text"] for row in transcript if row["source"] not in scope.asked and row["kind"] == "user"]
        scope.traces = await _traces(connection, sid, schema, scope.asked, asked, others)
        _spread(scope, [row for row in transcript if row["source"] not in scope.asked])
    threads = await _rows(connection, "threads", subject=sid)
    scope.threads = {row["thread"]: set() for row in threads}
    left = set[str]()
    for row in transcript:
        if row["source"] in scope.sources:
            scope.threads[row["thread"]].add(_in_state(row["source"]))
        else:
            left.add(row["thread"])
    for copy, of in [(row["thread"], row["copy_of"]) for row in threads if row["copy_of"] in scope.threads]:
        scope.threads[copy] |= scope.threads[of]
        left |= {copy} if of in left else set()
    scope.emptied = {thread for thread, erased in scope.threads.items() if erased} - left
    scope.gone = _gone(scope.sources, transcript)
    return scope


async def _source(connection: Connection, sid: str, secret: bytes, source: str) -> set[str]:
    if (await _rows(connection, "is_source", subject=sid, source=source))[0]["known"]:
        return {source}
    hashes = [fingerprint(secret, source)]
    if await (await connection.execute(QUERIES["erased"], {"subject": sid, "hashes": hashes})).fetchall():
        return set()
    raise LookupError(f"this customer has no message {source!r}; `export` lists them all with their ids")


async def _fact(connection: Connection, sid: str, schema: Schema, fact: str) -> set[str]:
    """Everybody who ever spoke about it, believed or not."""
    name, one, value = fact.partition("=")
    attribute = schema.get(name)
    rows = await _rows(connection, "claims_about", subject=sid, attribute=name)
    if attribute is None and not rows:
        raise LookupError(f"no attribute is called {name!r}; there are: {', '.join(sorted(schema))}")
    if one and attribute and not attribute.many:
        raise LookupError(f"{name} has one value; forget it with --fact {name}")
    key = _key(schema, name, value)

    def names_it(row: dict[str, Any]) -> bool:
        return not one or key in (_key(schema, name, row["value"]), (row["slot"] or "").partition("=")[2])

    # Whoever spoke in a slot that is named so, by its key or by one of its wordings, meant the same thing.
    slots = {row["slot"] for row in rows if names_it(row) and "=" in (row["slot"] or "")}
    reached = [row for row in rows if row["slot"] in slots or names_it(row)]
    return {source for row in reached for source in (row["source"], row["accepts"]) if source}


async def _traces(
    connection: Connection,
    sid: str,
    schema: Schema,
    sources: Iterable[str],
    texts: Iterable[str],
    others: Iterable[str],
) -> Traces:
    params = {"subject": sid, "sources": list(sources)}
    supported = {
        (row["attribute"], key)
        for row in await _rows(connection, "supported", **params)
        for key in (row["key"], _key(schema, row["attribute"], row["value"]))
    }
    quotes, values = set(texts), set[str]()
    for row in await _rows(connection, "said", **params):
        attribute, key = row["attribute"], row["key"]
        wording = _key(schema, attribute, row["value"]) or key
        quotes.add(row["quote"] or "")
        if (attribute, wording) not in supported:
            values |= {value for value in (row["value"], row["stated"]) if value}
        if key and (attribute, key) not in supported:
            values.add(key)
    return Traces({*params["sources"], *map(_in_state, params["sources"])}, quotes, values, others)


def _spread(scope: Scope, others: list[dict[str, Any]]) -> None:
    """Sort the other messages: those that merely repeat go too, those of the customer are named."""
    for row in others:
        copied, named = scope.traces.copied_in(row["text"]), scope.traces.named_in(row["text"])
        if row["evidence"] or row["kind"] not in ("assistant", "tool"):
            if copied or named:
                scope.mentioned_in.append(row["source"])
        # What a tool found out is no echo, except where it found what was said.
        elif copied or (named and row["kind"] == "assistant"):
            scope.repeated.add(row["source"])


def _gone(sources: set[str], transcript: list[dict[str, Any]]) -> dict[str, set[str]]:
    versions: dict[str, set[str]] = {_in_state(source): set() for source in sources}
    for row in transcript:
        if row["source"] not in sources and (name := _in_state(row["source"])) in versions:
            versions[name].add(row["digest"])
    return versions | {source: set() for source in sources if source not in versions}


def _in_state(source: str) -> str:
    """The id that the message of a source has in state."""
    return _EDIT.sub("", source)


def _key(schema: Schema, attribute: str, value: str | None) -> str | None:
    known = schema.get(attribute)
    read = known.read(value) if known and value is not None else None
    return read[1] if read else (compared(value) if value is not None else None)


async def _rows(connection: Connection, name: str, **params: Any) -> list[dict[str, Any]]:
    return await (await connection.execute(RIGHTS[name], params)).fetchall()
