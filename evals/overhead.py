"""What a turn takes outside the model: ours against one node with LangGraph's Postgres saver, alternating.

All answer from a model that takes no time, with the same durability, in the same database. The 20th ordinary turn of
each conversation is timed; background reading happens between the turns, as it would on another machine. `plain` has
our pool, whose connections are looked at before they are used; `bare` has one connection, and dies with it. Then a
conversation is long enough to be compacted, with a summarizer that takes a second: nobody may wait for it.
"""

import argparse
import asyncio
import statistics
import sys
import time
import uuid
from typing import Any, Literal

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from evals.baseline import plain_graph
from evals.instant import instant
from evals.place import SUMMARY, database, deps_for, settings_for
from evals.scenarios.figures import tell
from evals.served import models
from evals.talk import talking
from graph.application import application
from graph.context import Caller
from graph.deploy import open_assistant
from graph.deps import Deps
from graph.models import Models
from trusted_memory.conversation.budget import Budget
from trusted_memory.facts.words import Subject
from trusted_memory.hosts.worker import worker
from trusted_memory.storage.pool import SCHEMA

Durability = Literal["async", "sync", "exit"]
TURN = 20
MOST = 2.5  # times what the plain graph takes
NOBODY = "http://127.0.0.1:9/v1"  # no model server is needed
SMALL = Budget(total=4_000, output_reserve=600, instructions=1_300, facts=300, summary=400, recent=1_400)
THINKING = 1.0  # seconds of the summarizer
WORDS = (
    "Where is the parcel with the hiking boots that I ordered last week, and when will the driver be at my door?",
    "Thanks. And could you tell me whether the blue rain jacket is still to be had, or is there only the green one?",
    "How long do I have to send something back if it turns out to be too warm for the season?",
    "What does it cost to send a parcel to my parents in the country, and how many days does that take?",
)


async def compare(uri: str, rounds: int, durability: Durability) -> dict[str, Any]:
    """Milliseconds of the 20th turn; the first round of each kind warms up and does not count."""
    seconds: dict[str, list[float]] = {"ours": [], "plain": [], "bare": []}
    async with deps_for(settings_for(uri, NOBODY)) as deps:
        deps.__dict__["_models"] = Models(*[instant()] * 3)
        pool: Any = await deps.database.pool()
        async with (
            open_assistant(deps=deps, background=False) as ours,
            AsyncPostgresSaver.from_conn_string(_in_schema(uri)) as saver,
        ):
            graphs: dict[str, Any] = {
                "ours": ours,
                "plain": plain_graph(instant(), AsyncPostgresSaver(pool)),
                "bare": plain_graph(instant(), saver),
            }
            for number in range(rounds + 1):
                threads = {kind: str(uuid.uuid4()) for kind in graphs}
                caller = Caller(subject=Subject("evals", f"customer-{number}"))
                for turn in range(1, TURN + 1):
                    if turn == TURN:
                        await worker(application(deps), wait=False)
                    for kind in sorted(graphs, reverse=bool(number % 2)):
                        sent = {"messages": [HumanMessage(WORDS[turn % len(WORDS)])]}
                        config = {"configurable": {"thread_id": threads[kind]}}
                        context = {"context": caller} if kind == "ours" else {}
                        started = time.perf_counter()
                        await graphs[kind].ainvoke(sent, config, durability=durability, **context)
                        if turn == TURN and number:
                            seconds[kind].append(time.perf_counter() - started)
    own, plain, bare = (statistics.median(values) for values in seconds.values())
    return {
        "rounds": rounds,
        "durability": durability,
        "ours_ms": _ms(own),
        "plain_ms": _ms(plain),
        "bare_ms": _ms(bare),
        "ratio": round(own / plain, 2),
        "ratio_to_bare": round(own / bare, 2),
    }


async def compact(uri: str, turns: int) -> dict[str, Any]:
    """When the reply is there, in turns that are followed by a compaction and in others."""
    ordinary, compacting, compaction, before = list[float](), list[float](), list[float](), 0
    with models() as served:
        served.delays[SUMMARY] = THINKING
        async with deps_for(settings_for(uri, served.url, budget=SMALL)) as deps:
            await _without_waiting(deps)
            async with talking(deps, background=False) as talk:
                who, thread = Subject("evals", "talker"), str(uuid.uuid4())
                for number in range(turns):
                    turn = await talk.say(who, thread, WORDS[number % len(WORDS)])
                    await worker(application(deps), wait=False)
                    took = turn.took("summarize")
                    (ordinary if took is None else compacting).append(turn.replied)
                    compaction += [] if took is None else [took]
                    before += turn.waited
    return {
        "compactions": len(compaction),
        "compactions_before_the_reply": before,
        "reply_ms_ordinary": _ms(statistics.median(ordinary)),
        "reply_ms_compacting": _ms(statistics.median(compacting)) if compacting else None,
        "compaction_ms": _ms(statistics.median(compaction)) if compaction else None,
    }


async def _without_waiting(deps: Deps) -> None:
    """Only the summarizer is asked over HTTP."""
    made = await deps.models()
    made.chat = made.extraction = instant()


def _in_schema(uri: str) -> str:
    """The product's tables hold the plain graph's checkpoints too: the same server, the same size."""
    return (
        f"{uri}{'&' if '?' in uri else '?'}options=-csearch_path%3D{SCHEMA}"
        if "://" in uri
        else (f"{uri} options='-c search_path={SCHEMA}'")
    )


def _ms(seconds: float) -> float:
    return round(1_000 * seconds, 2)


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("overhead", help="what a turn takes outside the model", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="conversations of each kind")
    parser.add_argument("--durability", choices=("async", "sync", "exit"), default="async")
    parser.add_argument("--turns", type=int, default=40, help="of the conversation that is compacted")
    parser.add_argument("--json", action="store_true", help="nothing but the result")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    with database() as uri:
        result = asyncio.run(compare(uri, arguments.rounds, arguments.durability))
        result |= asyncio.run(compact(uri, arguments.turns))
    tell(result, as_json=arguments.json)
    waited = result["compactions_before_the_reply"] or not result["compactions"]
    return int(result["ratio"] > MOST or waited or result["reply_ms_compacting"] > 1_000 * THINKING)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m evals")
    add_parser(parser.add_subparsers(required=True))
    arguments = parser.parse_args()
    sys.exit(arguments.run(arguments))
