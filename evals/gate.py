"""Does the gate see what must not wait, and only that? Labelled messages, one a line; see evals/data/README.md."""

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.schemas import TRAVEL
from support.shop.domain import SCHEMA
from trusted_memory.facts.schema import Schema
from trusted_memory.reading.gate import urgent

DOMAINS: Mapping[str, Schema] = {"retail": SCHEMA, "travel": TRAVEL}


@dataclass
class Tally:
    """What was right, and every message that was not."""

    seen: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    wrong: list[dict[str, Any]] = field(default_factory=list)

    def count(self, case: dict[str, Any]) -> None:
        said = urgent(case["text"], case["previous_assistant"], case["live"], DOMAINS[case["domain"]])
        self.seen[case["urgent"]] += 1
        if bool(said) != case["urgent"]:
            self.wrong.append({**case, "why": said.why})

    def result(self) -> dict[str, Any]:
        """`recall` of the urgent ones; `inline_other`: the share of the others that would be read before the reply."""
        missed = sum(case["urgent"] for case in self.wrong)
        needless = len(self.wrong) - missed
        return {
            "messages": sum(self.seen.values()),
            "urgent": self.seen[True],
            "recall": round((self.seen[True] - missed) / max(1, self.seen[True]), 4),
            "inline_other": round(needless / max(1, self.seen[False]), 4),
        }


def labelled(file: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            case = json.loads(line)
            if case.get("domain") not in DOMAINS:
                raise ValueError(f"{file}:{number}: domain {case.get('domain')!r}; there are {', '.join(DOMAINS)}")
            yield {"live": {}, "previous_assistant": ""} | {k: v for k, v in case.items() if v is not None}


def evaluate(file: Path) -> Tally:
    tally = Tally()
    for case in labelled(file):
        tally.count(case)
    return tally


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("gate", help="urgent or not, on labelled messages", description=__doc__)
    parser.add_argument("file", type=Path, help="labelled messages, JSON lines")
    parser.add_argument("--json", action="store_true", help="nothing but the result")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    tally = evaluate(arguments.file)
    if not arguments.json:
        for case in tally.wrong:
            print(
                f"{'missed' if case['urgent'] else 'needless (' + case['why'] + ')'}: {case['text']!r} {case['live']}"
            )
    print(json.dumps(tally.result()))
    return 0
