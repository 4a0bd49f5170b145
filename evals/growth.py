"""How many bytes of PostgreSQL a conversation takes: ours against all messages in state with LangGraph's own saver.

The same words are said in both, each in a database of its own, with an instant model and background reading as in
production. Everything is counted that the conversation has left after VACUUM FULL: checkpoints, the exact transcript,
evidence, jobs, indexes.
"""

import argparse
import asyncio
import random
import statistics
import sys
import uuid
from dataclasses import dataclass, field
from typing import Any

import psycopg
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from evals.baseline import plain_graph
from evals.instant import instant
from evals.place import database, deps_for, settings_for
from evals.scenarios.figures import tell
from evals.talk import talking
from graph.application import application
from graph.models import Models
from trusted_memory.facts.words import Subject
from trusted_memory.hosts.worker import worker

NOBODY = "http://127.0.0.1:9/v1"  # no model server is needed
MOST, GREATEST = 0.1, 1.2
SIZE = """
    select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')"""
WORDS = (
    "parcel jacket boots street window garden winter summer yellow copper letter doctor island bridge silver market "
    "driver kettle ladder mirror needle orange pepper rabbit saddle tunnel violin walnut basket candle dragon engine "
    "feather gravel harbour insect jungle kitchen lantern magnet napkin oyster pillow quarry ribbon sponge thunder"
).split()


def saying(dice: random.Random, words: int = 30) -> str:
    """An ordinary question of no consequence. Random words: text that repeats itself would compress too well."""
    told = " ".join(
        dice.choice(WORDS) + (f" {dice.randrange(10_000)}" if dice.random() < 0.1 else "") for _ in range(words)
    )
    return f"Is there anything new about the {told}?"


@dataclass
class Sizes:
    """Bytes beyond the empty database, after so many turns."""

    empty: int
    after: dict[int, int] = field(default_factory=dict)

    def slope(self, first: int, last: int) -> float:
        """Bytes a turn between two turns: the least-squares line, since a fold makes a step down now and then."""
        points = {turn: size for turn, size in self.after.items() if first <= turn <= last}
        return statistics.linear_regression(list(points), list(points.values())).slope


def measured(uri: str) -> int:
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("vacuum (full)")
        row = connection.execute(SIZE).fetchone()
        return int(row[0]) if row else 0


async def ours(uri: str, turns: int, every: int, seed: int) -> Sizes:
    dice, who, thread = random.Random(seed), Subject("evals", "talker"), str(uuid.uuid4())
    async with deps_for(settings_for(uri, NOBODY)) as deps:
        deps.__dict__["_models"] = Models(*[instant()] * 3)
        async with talking(deps, background=False) as talk:
            await worker(application(deps), wait=False)
            sizes = Sizes(await asyncio.to_thread(measured, uri))
            for turn in range(1, turns + 1):
                await talk.say(who, thread, saying(dice))
                await worker(application(deps), wait=False)
                if not turn % every:
                    sizes.after[turn] = await asyncio.to_thread(measured, uri) - sizes.empty
    return sizes


async def plain(uri: str, turns: int, every: int, seed: int) -> Sizes:
    dice, thread = random.Random(seed), str(uuid.uuid4())
    async with AsyncPostgresSaver.from_conn_string(uri) as saver:
        await saver.setup()
        graph = plain_graph(instant(), saver)
        sizes = Sizes(await asyncio.to_thread(measured, uri))
        for turn in range(1, turns + 1):
            sent: Any = {"messages": [HumanMessage(saying(dice))]}
            await graph.ainvoke(sent, {"configurable": {"thread_id": thread}})
            if not turn % every:
                sizes.after[turn] = await asyncio.to_thread(measured, uri) - sizes.empty
    return sizes


def evaluate(turns: int, compared: int, window: int, every: int, seed: int) -> dict[str, Any]:
    """Bytes of both after `compared` turns; bytes a turn of ours over a `window` around turn 100 and before the end."""
    with database() as uri:
        theirs = asyncio.run(plain(uri, compared, compared, seed))
    with database() as uri:
        own = asyncio.run(ours(uri, turns, every, seed))
    early, late = (max(every, 100 - window // 2), 100 + window // 2), (turns - window, turns)
    per_turn = own.slope(*early), own.slope(*late)
    return {
        "seed": seed,
        "compared_turns": compared,
        "plain_bytes": theirs.after[compared],
        "ours_bytes": own.after[compared],
        "share": round(own.after[compared] / theirs.after[compared], 4),
        "turns": turns,
        f"bytes_a_turn_{early[0]}_{early[1]}": round(per_turn[0]),
        f"bytes_a_turn_{late[0]}_{late[1]}": round(per_turn[1]),
        "growth": round(per_turn[1] / per_turn[0], 3),
        "ours_bytes_at_the_end": own.after[turns],
    }


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("growth", help="bytes of PostgreSQL a conversation takes", description=__doc__)
    parser.add_argument("--turns", type=int, default=1_000, help="of ours")
    parser.add_argument("--compared", type=int, default=300, help="turns after which both are compared")
    parser.add_argument("--window", type=int, default=200, help="turns over which growth is measured")
    parser.add_argument("--every", type=int, default=20, help="turns between two measurements")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="nothing but the result")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    result = evaluate(arguments.turns, arguments.compared, arguments.window, arguments.every, arguments.seed)
    tell(result, as_json=arguments.json)
    return int(result["share"] > MOST or result["growth"] > GREATEST)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m evals")
    add_parser(parser.add_subparsers(required=True))
    arguments = parser.parse_args()
    sys.exit(arguments.run(arguments))
