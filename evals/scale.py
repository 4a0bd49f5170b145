"""Whether remembering for many customers makes it slower for one: commit and recall in a small and a large database.

Both databases are on one server and are asked in turn, each time about a customer chosen at random. They are filled by
SQL: one customer's facts go through the product, and her rows are copied for all the others, fact after fact, so that
a customer's rows lie scattered as they would after years.
"""

import argparse
import asyncio
import json
import random
import statistics
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg import sql

from evals.commits import committing
from evals.deliver import KEY, schema_of
from evals.place import database
from trusted_memory.facts.batch import Reading
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.migrate import migrate
from trusted_memory.storage.pool import Database, connection_options, subject_id
from trusted_memory.storage.recall import recall

NOW = datetime(2027, 1, 1, tzinfo=UTC)
TENANT, EXTRACTOR = "scale", "scale"
FACTS = 10  # of a customer
NAMES = [f"fact {place}" for place in range(FACTS)]
TABLES = {"transcript": "subject", "statement": "subject", "record": "subject", "ledger": "subject", "store": "prefix"}
MOST = 1.5


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("scale", help="commit and recall beside many customers", description=__doc__)
    parser.add_argument("--subjects", type=int, default=100_000, help=f"in the large database, {FACTS} facts each")
    parser.add_argument("--small", type=int, help="subjects in the small one; a hundredth if not given")
    parser.add_argument("--rounds", type=int, default=400, help="measured; a quarter more come first to warm up")
    parser.add_argument("--json", action="store_true", help="nothing but the result")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    sizes = {"small": arguments.small or max(1, arguments.subjects // 100), "large": arguments.subjects}
    with database() as small, beside(small) as large:
        begun = time.perf_counter()
        for uri, subjects in zip((small, large), sizes.values(), strict=True):
            asyncio.run(fill(uri, subjects))
        loading = round(time.perf_counter() - begun, 1)
        result = asyncio.run(measure(small, large, sizes, arguments.rounds)) | {"loading_seconds": loading}
    if not arguments.json:
        sys.stdout.writelines(f"{name:>16}  {value}\n" for name, value in result.items())
    sys.stdout.write(json.dumps(result) + "\n")
    return 0 if max(result["commit_ratio"], result["recall_ratio"]) <= MOST else 1


@contextmanager
def beside(uri: str) -> Iterator[str]:
    """One more database on the same server, gone afterwards."""
    name = sql.Identifier(f"scale_{uuid.uuid4().hex[:12]}")
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(name))
        try:
            yield psycopg.conninfo.make_conninfo(uri, dbname=name.as_string(None).strip('"'))
        finally:
            connection.execute(sql.SQL("drop database {} with (force)").format(name))


async def fill(uri: str, subjects: int) -> None:
    """Customer 0 through the product; then her rows for everybody else."""
    await migrate(uri)
    async with committing(uri, NAMES) as (opened, committer):
        for place in range(FACTS):
            await tell(opened, committer, Subject(TENANT, "0"), f"message {place}", place)
    with psycopg.connect(uri, autocommit=True, options=connection_options()["options"]) as connection:
        connection.execute("select set_config('memory.committing', 'on', false)")
        for table, owner in TABLES.items():
            _copy(connection, table, owner, subjects)
        connection.execute("vacuum analyze")
        with suppress(psycopg.errors.InsufficientPrivilege):  # on a server of somebody else's
            connection.execute("checkpoint")


def _copy(connection: psycopg.Connection[Any], table: str, owner: str, subjects: int) -> None:
    columns = [
        name
        for (name,) in connection.execute(
            "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attisdropped"
            " and attidentity = '' and attgenerated = ''",
            (table,),
        )
    ]
    values = [
        sql.SQL("regexp_replace({}, '0$', n::text)" if name == owner else "{}").format(sql.Identifier(name))
        for name in columns
    ]
    copied = sql.SQL(
        "insert into {table} ({columns}) select {values}"
        " from (select *, row_number() over () as fact from {table}) t, generate_series(1, {last}) n order by fact, n"
    )
    connection.execute(
        copied.format(
            table=sql.Identifier(table),
            columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
            values=sql.SQL(", ").join(values),
            last=sql.Literal(subjects - 1),
        )
    )


async def tell(opened: Database, committer: Committer, subject: Subject, source: str, place: int) -> float:
    """A customer says a fact; the seconds that the commit takes, recording the message apart."""
    said = NOW + timedelta(seconds=time.perf_counter())
    message = transcript.Message(source, "thread", "user", "customer", said, f"It is {source}.")
    async with opened.connection() as connection:
        await transcript.record(connection, subject, [message], KEY)
    begun = time.perf_counter()
    claim = Claim(NAMES[place], source, source, "correct")
    await committer.commit(subject, [Reading(source, (claim,))], extractor=EXTRACTOR, now=NOW)
    return time.perf_counter() - begun


async def remember(opened: Database, subject: Subject) -> float:
    begun = time.perf_counter()
    async with opened.connection() as connection:
        recalled = await recall(connection, subject, schema_of(NAMES), NOW)
    if len(recalled.facts) != FACTS:
        raise RuntimeError(f"{subject_id(subject)} has {len(recalled.facts)} facts instead of {FACTS}")
    return time.perf_counter() - begun


@dataclass(slots=True)
class Times:
    commit: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)


async def measure(small: str, large: str, sizes: dict[str, int], rounds: int) -> dict[str, Any]:
    """Medians, in turn, so that whatever else the machine does meets both."""
    chance, times = random.Random(20_270_101), {"small": Times(), "large": Times()}
    async with AsyncExitStack() as stack:
        uris = {"small": small, "large": large}
        places = {name: await stack.enter_async_context(committing(uri, NAMES)) for name, uri in uris.items()}
        for number in range(-rounds // 4, rounds):
            for name in ("small", "large") if number % 2 else ("large", "small"):
                opened, committer = places[name]
                subject = Subject(TENANT, str(chance.randrange(sizes[name])))
                recalled = await remember(opened, subject)
                committed = await tell(opened, committer, subject, f"change {number}", chance.randrange(FACTS))
                if number >= 0:
                    times[name].recall.append(recalled)
                    times[name].commit.append(committed)
        facts = {name: await count(opened) for name, (opened, _) in places.items()}
    result: dict[str, Any] = {f"facts_{name}": number for name, number in facts.items()}
    for what in ("commit", "recall"):
        medians = {name: statistics.median(getattr(t, what)) for name, t in times.items()}
        result |= {f"{what}_ms_{name}": round(median * 1000, 2) for name, median in medians.items()}
        result[f"{what}_ratio"] = round(medians["large"] / medians["small"], 3)
    return {**result, "rounds": rounds}


async def count(opened: Database) -> int:
    async with opened.connection() as connection:
        row = await (await connection.execute("select count(*) as facts from store")).fetchone()
    return int(row["facts"]) if row else 0
