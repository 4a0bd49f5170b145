"""Does a real model, through the product's own extraction, find what a customer says of themselves, and only that?"""

import argparse
import asyncio
import json
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from evals.schemas import BROAD
from graph.deps import Deps, deps
from trusted_memory.facts.words import Claim
from trusted_memory.models.nvidia import structured
from trusted_memory.reading.extract import extract_claims
from trusted_memory.reading.ground import Numbered

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class Tally:
    """Every claim and every expectation, right or wrong. `lines` tell what happened, case by case."""

    right: int = 0
    wrong: int = 0
    false_facts: int = 0
    from_assistant: int = 0
    hit: int = 0
    wanted: int = 0
    malformed: int = 0
    seconds: list[float] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def count(self, case: dict[str, Any], claims: Sequence[Claim]) -> None:
        kept = [c for c in claims if c.found in (None, "about_somebody_else")]
        for claim in kept:
            right = any(_fits(claim, expected) for expected in case["expected"])
            self.right += right
            self.wrong += not right
            self.false_facts += not right and claim.found is None
            self.from_assistant += case["speaker"] != "customer"
            if not right:
                self.lines.append(f"{case['id']:>3} false: {_shown(claim)!r} in {case['text']!r}")
        for expected in case["expected"]:
            if not expected["optional"]:
                hit = any(_fits(claim, expected) for claim in kept)
                self.wanted += 1
                self.hit += hit
                if not hit:
                    dropped = [f"{_shown(c)!r} ({c.found})" for c in claims if c.found]
                    self.lines.append(f"{case['id']:>3} missed: {expected['must_match']} in {case['text']!r} {dropped}")

    def result(self) -> dict[str, Any]:
        return {
            "precision": round(self.right / max(1, self.right + self.wrong), 3),
            "recall": round(self.hit / max(1, self.wanted), 3),
            "false_facts": self.false_facts,
            "seconds_p50": round(statistics.median(self.seconds), 2) if self.seconds else None,
            "from_assistant": self.from_assistant,
            "malformed": self.malformed,
        }


def _shown(claim: Claim) -> str:
    """A claim as a person would say it."""
    value = claim.value or claim.attribute
    return f"no longer {value}" if claim.intent == "retract" else value


def _fits(claim: Claim, expected: dict[str, Any]) -> bool:
    about = "other" if claim.found else "customer"
    said = _shown(claim)
    return (
        expected["about"] in (about, "*")
        and all(re.search(pattern, said, re.IGNORECASE) for pattern in expected["must_match"])
        and not any(re.search(pattern, said, re.IGNORECASE) for pattern in expected["must_not_match"])
    )


async def evaluate(
    cases: Sequence[dict[str, Any]], own: Deps, progress: Callable[[str], None] = lambda _: None
) -> Tally:
    tally = Tally()
    ask = partial(structured, (await own.models()).extraction)
    limit = own.memory.budget.request

    async def call(messages: Any, schema: dict[str, Any]) -> Any:
        return await ask(schema, messages)

    for case in cases:
        kind: Any = "user" if case["speaker"] == "customer" else "assistant"
        message = Numbered(str(case["id"]), kind, NOW, case["text"])
        start = time.perf_counter()
        result = await extract_claims(call, BROAD, [message], NOW, prompts=own.prompts, limit=limit)
        if kind == "user":
            tally.seconds.append(time.perf_counter() - start)
        tally.malformed += len(result.malformed)
        tally.count(case, [claim for claims in result.claims.values() for claim in claims])
        progress(f"{case['id']}: {[(c.found, c.attribute, _shown(c)) for v in result.claims.values() for c in v]}")
    return tally


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("extract", help="a real model on extraction cases", description=__doc__)
    parser.add_argument("file", type=Path, help="extraction cases, JSON lines")
    parser.add_argument("--json", action="store_true", help="nothing but the result")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    own = deps()
    if own.settings.offline_model:
        raise SystemExit("no model is configured: set NVIDIA_BASE_URL or NVIDIA_API_KEY, and APP_EXTRACTION_MODEL")
    cases = [json.loads(line) for line in arguments.file.read_text(encoding="utf-8").splitlines() if line.strip()]
    tell = (lambda _: None) if arguments.json else partial(print, flush=True)
    tally = asyncio.run(evaluate(cases, own, tell))
    if not arguments.json:
        print("\n".join(tally.lines))
    print(json.dumps(tally.result()))
    return 0
