"""Replays dialogues as a perfect extractor through the real commit path, and compares what is believed at the end.

The format is that of the shared data's README. A file of decision cases is accepted, too.
"""

import argparse
import asyncio
import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.cases import play_cases
from evals.deliver import Delivery, Event, Result, arrange, message_at, names_of
from evals.place import database
from trusted_memory.facts.words import Claim, Intent, SourceKind, Subject
from trusted_memory.storage.migrate import migrate
from trusted_memory.storage.pool import Database, subject_id

START = datetime(2027, 1, 1, tzinfo=UTC)
NOW = START + timedelta(days=30)
TENANT = "replay"
INTENTS: dict[str, Intent] = {"add": "state", "change": "correct", "remove": "retract"}
MODES = ("in-order", "twice", "late", "shuffled", "interleaved")
KILLS = 50

Dialogue = Mapping[str, Any]


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("replay", help="dialogues or decision cases through the commit", description=__doc__)
    parser.add_argument("file", type=Path, help="JSON lines, .gz or not")
    parser.add_argument("--delivery", choices=MODES, default="in-order")
    parser.add_argument("--assistant", action="store_true", help="deliver what the assistant asserted as claims, too")
    parser.add_argument("--workers", type=int, default=1, help="separate processes")
    parser.add_argument("--kill", action="store_true", help=f"SIGKILL random workers, {KILLS} times")
    parser.add_argument("--kills", type=int, default=KILLS, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="nothing but the result")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    lines = list(read(arguments.file))
    if not lines:
        raise SystemExit(f"{arguments.file} holds nothing")
    with database() as uri:
        asyncio.run(migrate(uri))
        if "case" in lines[0]:
            result = asyncio.run(play_cases(uri, lines, arguments.delivery))
            right = not result["disagreeing"]
        else:
            result = replay(uri, lines, arguments)
            right = result["exact"] == 1.0 and not any(result[name] for name in WRONG)
    if not arguments.json:
        sys.stdout.writelines(f"{name:>18}  {value}\n" for name, value in result.items())
    sys.stdout.write(json.dumps(result) + "\n")
    return 0 if right else 1


WRONG = ("duplicates", "spurious", "missing", "support_mismatches")


def read(file: Path) -> Iterator[Dialogue]:
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def replay(uri: str, dialogues: list[Dialogue], arguments: argparse.Namespace) -> Result:
    told = {d["dialogue_id"]: events(d, assistant=arguments.assistant) for d in dialogues}
    chance = random.Random(20_270_101)
    chunks = arrange(told, arguments.delivery, arguments.workers, chance)
    kills = arguments.kills if arguments.kill else 0
    names = names_of(list(told.values()))
    done = Delivery(uri, names, NOW, arguments.workers, kills).run(chunks)
    result = asyncio.run(judge(uri, dialogues))
    speed = {"seconds": round(done.seconds, 2), "commits_per_second": round(done.commits / done.seconds, 1)}
    return {"dialogues": len(dialogues), **result, **speed, "kills": done.kills}


def events(dialogue: Dialogue, *, assistant: bool) -> list[Event]:
    """The messages that claim something. A user turn's `gold` is what a perfect extractor reads in it."""
    subject, thread = Subject(TENANT, dialogue["dialogue_id"]), dialogue["dialogue_id"]
    found = []
    for place, turn in enumerate(dialogue["turns"]):
        if turn["role"] == "user":
            claims = tuple(gold_claim(op, turn["text"]) for op in turn["gold"])
        elif assistant:
            claims = tuple(
                Claim(a["key"], a["values"][0], turn["text"]) for a in turn.get("asserted", []) if a["values"]
            )
        else:
            claims = ()
        if claims:
            kind: SourceKind = "user" if turn["role"] == "user" else "assistant"
            message = message_at(turn["mid"], thread, kind, place, turn["text"], START)
            found.append(Event(subject, message, claims))
    return found


def gold_claim(op: Mapping[str, Any], text: str) -> Claim:
    value = op["values"][0] if op["op"] != "remove" else None
    return Claim(op["key"], value, text, INTENTS[op["op"]])


def same(value: str) -> str:
    return " ".join(value.split()).casefold()


def expected_support(dialogue: Dialogue) -> dict[str, set[str]]:
    """Computed apart from the product: the messages since which nothing else was said about the key."""
    held: dict[str, tuple[str, set[str]]] = {}
    for turn in dialogue["turns"]:
        for op in turn.get("gold", []):
            if op["op"] == "remove":
                held.pop(op["key"], None)
                continue
            value = same(op["values"][0])
            before = held.get(op["key"])
            if before and before[0] == value:
                before[1].add(turn["mid"])
            else:
                held[op["key"]] = (value, {turn["mid"]})
    return {key: messages for key, (_, messages) in held.items()}


async def judge(uri: str, dialogues: list[Dialogue]) -> Result:
    """Compare LangGraph's store with `final`, fact by fact, and support with what was computed apart."""
    opened = Database(uri)
    async with opened.connection() as connection:
        rows = await (
            await connection.execute("select prefix, key, value from store where prefix like 'facts.%%'", {})
        ).fetchall()
        outcomes = await (
            await connection.execute("select outcome, reason, count(*) as n from ledger group by 1, 2 order by 1, 2")
        ).fetchall()
    await opened.close()
    facts: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        facts.setdefault(row["prefix"], []).append(row["value"])
    counted: Counter[str] = Counter()
    for dialogue in dialogues:
        held = facts.pop(f"facts.{subject_id(Subject(TENANT, dialogue['dialogue_id']))}", [])
        counted += compare(dialogue, held)
    counted["spurious"] += sum(map(len, facts.values()))
    ledger = {f"{r['outcome']}:{r['reason']}" if r["reason"] else r["outcome"]: r["n"] for r in outcomes}
    return {
        "exact": counted["exact"] / len(dialogues),
        "facts": counted["facts"],
        **{name: counted[name] for name in WRONG},
        "ledger": ledger,
    }


def compare(dialogue: Dialogue, held: list[dict[str, Any]]) -> Counter[str]:
    final, support = dialogue["final"], expected_support(dialogue)
    names = Counter(fact["attribute"] for fact in held)
    found: Counter[str] = Counter(facts=len(held), duplicates=sum(names.values()) - len(names))
    right = set()
    for fact in held:
        if fact["attribute"] in final and same(fact["value"]) in map(same, final[fact["attribute"]]):
            right.add(fact["attribute"])
            found["support_mismatches"] += fact["support"] != len(support.get(fact["attribute"], ()))
        else:
            found["spurious"] += 1
    found["missing"] = len(final.keys() - right)
    found["exact"] = int(right == final.keys() and len(held) == len(final))
    return found
