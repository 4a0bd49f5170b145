"""A conversation with the real assistant: what was said, what the turn reported, and how long each node took."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.graph.state import CompiledStateGraph

from graph.context import Caller
from graph.deploy import open_assistant
from graph.deps import Deps
from trusted_memory.facts.words import Subject


@dataclass
class Turn:
    """What came of one turn. `nodes` are (name, seconds) in order; the reply was there after `replied` seconds."""

    reply: str = ""
    report: dict[str, Any] = field(default_factory=dict)
    folds: list[dict[str, Any]] = field(default_factory=list)
    nodes: list[tuple[str, float]] = field(default_factory=list)
    replied: float = 0.0

    @property
    def tokens(self) -> int:
        """Of the turn's last request, as the budget counts them."""
        return int(self.report.get("context", {}).get("tokens", {}).get("total", 0))

    @property
    def waited(self) -> bool:
        """Whether a summary was written before the reply, so that the customer waited for it."""
        names = [name for name, _ in self.nodes]
        return "summarize" in names and "call_model" in names[names.index("summarize") :]

    def took(self, node: str) -> float | None:
        """Seconds in this node; None if the turn had none of it."""
        found = [seconds for name, seconds in self.nodes if name == node]
        return sum(found) if found else None


@dataclass
class Talk:
    """The assistant in plain Python."""

    deps: Deps
    assistant: CompiledStateGraph[Any, Any, Any, Any]

    async def say(self, subject: Subject, thread: str, text: str, *, message_id: str | None = None) -> Turn:
        turn, started = Turn(), time.perf_counter()
        before = started
        sent: Any = {"messages": [HumanMessage(text, id=message_id)]}
        async for mode, part in self.assistant.astream(
            sent,
            {"configurable": {"thread_id": thread}},
            context=Caller(subject=subject),
            stream_mode=["updates", "custom"],
        ):
            if not isinstance(part, dict):
                continue
            if mode == "custom":
                turn.report = part.get("report", turn.report)
                turn.folds += part.get("fold", [])
                continue
            now = time.perf_counter()
            for name, update in part.items():
                turn.nodes.append((name, now - before))
                if name == "call_model":
                    turn.reply, turn.replied = update["messages"][-1].text, now - started
            before = now
        return turn


@asynccontextmanager
async def talking(deps: Deps, *, background: bool = True) -> AsyncIterator[Talk]:
    async with open_assistant(deps=deps, background=background) as assistant:
        yield Talk(deps, assistant)
