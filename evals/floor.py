"""The commit against its floor: how much of what PostgreSQL can do with these statements is left once we have decided.

Both do the same on one server, alternating: customers correct their facts, one claim a commit, each commit a
transaction under the customer's lock. Ours is the product's own path, in as many processes as asked for. The floor is
pgbench, told to say what a recorded commit said, pipelined in the same way; it decides nothing and reads no answer.
Messages are in the transcript beforehand. Round trips are counted at a proxy, everything included.
"""

import argparse
import asyncio
import json
import statistics
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import psycopg

from evals.commits import EXTRACTOR, FACTS, NAMES, NOW, TENANT, Load, committing, message, reading, staff
from evals.deliver import KEY
from evals.pgbench import Script
from evals.place import database
from evals.recorder import Recorder, Said
from evals.trips import counting
from trusted_memory.facts.words import Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.migrate import migrate
from trusted_memory.storage.pool import connection_options, subject_id

SUBJECTS = (8, 1)  # in parallel
PROCESSES = 2
WHO, WHICH, PLACE = "wwww", "nnnn", "pppp"  # stand for the customer, the number of the commit, the fact
FILLED = {WHO: ":prefix::text || :client_id::text", WHICH: ":n::text", PLACE: ":place::text"}
COUNTER = ("\\set n :n + 1", f"\\set place :n % {FACTS}")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("floor", help="the commit against pgbench of its statements", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="each with ours and the floor, in turn first")
    parser.add_argument("--commits", type=int, default=100, help="a customer makes in a round")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="of ours; pgbench gets as many threads")
    parser.add_argument("--json", action="store_true", help="nothing but the result")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    with database() as uri:
        asyncio.run(migrate(uri))
        result = measure(uri, arguments.rounds, arguments.commits, arguments.processes)
    if not arguments.json:
        sys.stdout.writelines(f"{name:>18}  {value}\n" for name, value in result.items())
    sys.stdout.write(json.dumps(result) + "\n")
    return 0 if result["ratio"] >= 0.35 and result["round_trips"] <= 3 else 1


def measure(uri: str, rounds: int, each: int, processes: int, parallel: Sequence[int] = SUBJECTS) -> dict[str, Any]:
    trips = asyncio.run(count_round_trips(uri))
    script = Script(asyncio.run(record(uri)), FILLED, COUNTER)
    script.variables["n"] = "-1"
    result: dict[str, Any] = {}
    for subjects in parallel:
        speeds: dict[str, list[float]] = {"ours": [], "floor": []}
        threads = min(processes, subjects)
        with staff(uri, threads) as ours:
            for number in range(rounds):
                for who in ("ours", "floor") if number % 2 else ("floor", "ours"):
                    load = Load(f"{who}-{subjects}-{number}-", subjects, each)
                    prepare(uri, load)
                    run = ours if who == "ours" else partial(script.run, with_options(uri), threads=threads)
                    speeds[who].append(run(load))
        end = "" if subjects == max(SUBJECTS) else "_1_subject"
        result |= {
            f"ours_per_second{end}": round(statistics.median(speeds["ours"]), 1),
            f"floor_per_second{end}": round(statistics.median(speeds["floor"]), 1),
            f"ratio{end}": round(statistics.median(speeds["ours"]) / statistics.median(speeds["floor"]), 3),
            f"ratios{end}": [round(a / b, 3) for a, b in zip(speeds["ours"], speeds["floor"], strict=True)],
        }
    return {**result, "round_trips": trips, "rounds": rounds, "processes": processes, "statements": script.statements}


def with_options(uri: str) -> str:
    return psycopg.conninfo.make_conninfo(uri, options=connection_options()["options"])


def prepare(uri: str, load: Load) -> None:
    """The messages of a load, and a database at rest."""
    with psycopg.connect(uri, autocommit=True, options=connection_options()["options"]) as connection:
        connection.execute(
            "insert into transcript (subject, source, thread, kind, origin, observed_at, text, digest)"
            " select %s || c, 'message ' || n, 'thread', 'user', 'customer', %s::timestamptz + n * interval '1 s', t,"
            " md5(t) from generate_series(0, %s) c, generate_series(0, %s) n,"
            " lateral (select 'It is value ' || n || '.' as t) as texts",
            (subject_id(Subject(TENANT, load.prefix)), NOW, load.subjects - 1, load.each - 1),
        )
        connection.execute("analyze transcript, statement, record, ledger, store")
        with suppress(psycopg.errors.InsufficientPrivilege):  # on a server of somebody else's
            connection.execute("checkpoint")


async def record(uri: str) -> list[list[Said]]:
    """What a typical commit says: the fourth correction of a fact."""
    recorder, subject = Recorder(), Subject(TENANT, WHO)
    async with committing(uri, [f"fact {PLACE}"]) as (opened, committer):
        for number in (0, 1, 2, 3, WHICH):
            async with opened.connection() as connection:  # the only one: nobody else asks
                await transcript.record(connection, subject, [message(number)], KEY)
                if number == WHICH:
                    connection.cursor_factory = recorder.cursor()
            await committer.commit(subject, [reading(number, PLACE)], extractor=EXTRACTOR, now=NOW)
    trips = [[said for said in trip if said.query.lower() not in ("", "begin", "commit")] for trip in recorder.trips]
    trips = [trip for trip in trips if trip]
    return [[Said("begin", {}), *trips[0]], *trips[1:-1], [*trips[-1], Said("commit", {})]]


async def count_round_trips(uri: str) -> int:
    """The most that one claim takes, from asking for a connection to the commit; the connection is there already."""
    subject, most = Subject(TENANT, "round-trips"), 0
    async with committing(uri, NAMES) as (opened, _), opened.connection() as connection:
        await transcript.record(connection, subject, list(map(message, range(3))), KEY)
    async with counting(uri) as trips, committing(trips.uri, NAMES) as (opened, committer):
        async with opened.connection():
            pass
        for number in range(3):
            before = trips.count
            await committer.commit(subject, [reading(number, 0)], extractor=EXTRACTOR, now=NOW)
            most = max(most, trips.count - before)
    return most
