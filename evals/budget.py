"""python -m evals budget FILE: replays recorded conversations through the real assembly and the real fold.

A model call happens wherever a message of the customer or of a tool is followed by an assistant's. The answers are the
recorded ones; only the summarizer is scripted (it copies). `support/checker.py` judges every request.
"""

import argparse
import asyncio
import gzip
import json
import statistics
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.messages import AnyMessage, RemoveMessage, SystemMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.graph.message import add_messages

from support.checker import has_current_turn, pairs_are_valid, text, tokens, was_seen, wire
from support.extractive import FAULTS, Extractive
from trusted_memory.conversation.budget import Budget, RequestTooLarge
from trusted_memory.conversation.messages import remembered
from trusted_memory.conversation.request import assemble, check_fixed
from trusted_memory.conversation.summarize import make_summarize, over_hard, over_soft
from trusted_memory.models.counting import count_tokens
from trusted_memory.prompting import Prompts

LEFT_OUT = "Answer the customer."  # stands for fixed instructions that don't fit their share
ZERO = ("over_budget", "invalid_pairs", "newest_turn_lost", "without_human", "folded_unseen", "summary_missing")
FOUND = ("in_request", "by_search", "lost")


@dataclass
class Tally:
    """What is counted over all conversations of a file."""

    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("model_calls", *ZERO, "summaries", *FOUND), 0)
    )
    sizes: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    left_out: int = 0

    def add(self, name: str, wrong: bool) -> None:
        self.counts[name] += wrong

    def result(self) -> dict[str, float]:
        counts, sizes = self.counts, self.sizes or [0]
        cut = statistics.quantiles(sizes, n=100, method="inclusive") if len(sizes) > 1 else sizes * 99
        return {
            "model_calls": counts["model_calls"],
            **{name: counts[name] for name in (*ZERO, "summaries")},
            "kept_share": round(statistics.fmean(self.shares), 4) if self.shares else 1.0,
            "tokens_p50": round(cut[49]),
            "tokens_p95": round(cut[94]),
            "tokens_max": max(sizes),
            **{name: counts[name] for name in FOUND},
        }


class Replay:
    """One recorded conversation, turn by turn, with the state that the graph would hold."""

    def __init__(self, recorded: Mapping[str, Any], total: int, faults: tuple[str, ...], tally: Tally) -> None:
        self.name = str(recorded.get("id", "conversation"))
        self.tally = tally
        self.model = Extractive(faults=faults)
        self.messages: list[AnyMessage] = []
        self.memory: dict[str, Any] = {"summary": "", "pinned": []}
        self.transcript: list[str] = []
        self.said: dict[str, dict[str, Any]] = {}  # what stands, by message id, in order: the recording, not the state
        self.folded: set[str] = set()
        steps = [dict(step) for step in recorded["messages"]]
        self.instructions = "\n".join(text(step) for step in steps if step["role"] == "system")
        self.steps = [step for step in steps if step["role"] != "system"]
        self.must_survive = [str(word) for word in recorded.get("must_survive", [])]
        # No facts were retrieved in the recordings: their share is the recent turns'.
        self.budget = Budget.for_total(total, facts=0)
        try:
            check_fixed(self.instructions, (), self.budget, count_tokens)
        except RequestTooLarge:
            self.instructions = LEFT_OUT
            self.budget = Budget.for_total(total, facts=0, instructions=count_tokens([SystemMessage(LEFT_OUT)]))
            tally.left_out += 1
        self.fold = make_summarize(
            self.model,
            budget=self.budget,
            count=count_tokens,
            prompt=lambda words: Prompts().render("summarize", words=str(words)),
            search=self.search,
        )

    async def search(self, _: RunnableConfig, words: Sequence[str]) -> Collection[str]:
        everything = "\n".join(self.transcript).casefold()
        return [word for word in words if word.casefold() in everything]

    async def run(self) -> None:
        request: list[dict[str, Any]] = []
        for at, step in enumerate(self.steps):
            before = self.steps[at - 1]["role"] if at else ""
            if step["role"] == "assistant" and before in ("user", "tool"):
                if before == "user" and over_hard(self.messages, self.budget, count_tokens):
                    await self.summarize()
                request = self.call()
            self.hear(step, at)
            replied = step["role"] == "assistant" and not step.get("tool_calls")
            if replied and over_soft(self.messages, self.budget, count_tokens):
                await self.summarize()
        last = "\n".join(text(message) for message in request)
        pinned = "\n".join(self.memory["pinned"])
        for word in self.must_survive:
            found = word in last or word in pinned
            searched = not found and bool(await self.search({}, [word]))
            self.tally.add("in_request" if found else "by_search" if searched else "lost", True)

    def hear(self, step: dict[str, Any], at: int) -> None:
        name = str(step.get("edit_of") or step.get("id") or f"{self.name}-{at}")
        fields = {key: step[key] for key in ("role", "tool_calls", "tool_call_id", "name") if step.get(key)}
        plain = {**fields, "content": step.get("content") or ""}
        message = convert_to_messages([plain])[0]
        message.id = name
        self.messages = list(add_messages(self.messages, [message]))  # type: ignore[arg-type]  # its stub wants a list of anything like a message
        if name in self.folded:  # an edit of what is in the summary already is said anew
            self.said.pop(name, None)
            self.folded.discard(name)
        self.said[name] = plain
        self.transcript.append(f"{text(plain)}\n{json.dumps(step.get('tool_calls') or '', ensure_ascii=False)}")

    async def summarize(self) -> None:
        update = await self.fold({"messages": self.messages, **self.memory}, {"configurable": {"thread_id": self.name}})
        removed: list[RemoveMessage] = update.pop("messages", [])
        shown = self.model.shown
        for gone in removed:
            step = self.said[str(gone.id)]
            calls = [call["function"]["arguments"] for call in step.get("tool_calls") or []]
            whole = text(step).strip()
            seen = was_seen(whole, shown) and all(_same_call(call, shown) for call in calls)
            self.tally.add("folded_unseen", not seen)
        self.folded |= {str(gone.id) for gone in removed}
        self.messages = list(add_messages(self.messages, removed))  # type: ignore[arg-type]  # its stub wants a list of anything like a message
        self.memory |= update
        self.tally.add("summaries", bool(removed))

    def call(self) -> list[dict[str, Any]]:
        """Assemble a request, judge it, and return it as it would be sent."""
        summary, pinned = remembered(self.memory)
        request = assemble(
            self.instructions,
            {},
            self.messages,
            summary=summary,
            pinned=pinned,
            tools=(),
            budget=self.budget,
            count=count_tokens,
        )
        sent, tally = wire(request.messages), self.tally
        size = count_tokens(request.messages)
        tally.sizes.append(size)
        tally.add("model_calls", True)
        tally.add("over_budget", max(size, tokens(sent)) > self.budget.total - self.budget.output_reserve)
        tally.add("invalid_pairs", not pairs_are_valid(sent))
        tally.add("without_human", not any(message["role"] == "user" for message in sent))
        tally.add("newest_turn_lost", not has_current_turn(sent, self.current()))
        told = "\n".join(text(message) for message in sent)
        tally.add("summary_missing", bool(self.folded) and not (summary.strip() and summary in told))
        whole = sum(len(text(step)) for step in self.said.values())
        if sum(len(text(step)) for step in self.said.values() if text(step) in told) < whole:
            tally.shares.append(size / self.budget.request)
        return sent

    def current(self) -> list[dict[str, Any]]:
        """The turn under way: the last message of the customer and what followed."""
        standing = list(self.said.values())
        last = max(at for at, step in enumerate(standing) if step["role"] == "user")
        return standing[last:]


def _same_call(arguments: str, shown: str) -> bool:
    """The arguments as the summarizer was shown them: parsed and written again."""
    return was_seen(json.dumps(json.loads(arguments), ensure_ascii=False), shown)


def recorded(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


async def evaluate(file: Path, total: int, faults: tuple[str, ...] = ("none",)) -> Tally:
    tally = Tally()
    for conversation in recorded(file):
        await Replay(conversation, total, faults, tally).run()
    return tally


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "budget", help="replay conversations through the assembly and the fold", description=__doc__
    )
    parser.add_argument("file", type=Path, help="trajectories or conversations, JSON lines, .gz or not")
    parser.add_argument("--total", type=int, default=Budget().total, help="the budget's total, its parts in proportion")
    parser.add_argument("--summarizer", default="none", help=f"what it does, a call each, in turn: {', '.join(FAULTS)}")
    parser.add_argument("--json", action="store_true", help="nothing but the result")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    tally = asyncio.run(evaluate(arguments.file, arguments.total, tuple(arguments.summarizer.split(","))))
    result = tally.result()
    if tally.left_out:
        note = f"{tally.left_out} conversations: fixed instructions over their share, left out of the total"
        (sys.stderr if arguments.json else sys.stdout).write(f"{note}\n")
    if not arguments.json:
        sys.stdout.writelines(f"{name:>17}  {value}\n" for name, value in result.items())
    sys.stdout.write(json.dumps(result) + "\n")
    return int(any(result[name] for name in ZERO))


if __name__ == "__main__":
    ours = argparse.ArgumentParser(prog="python -m evals")
    add_parser(ours.add_subparsers(required=True))
    parsed = ours.parse_args()
    sys.exit(parsed.run(parsed))
