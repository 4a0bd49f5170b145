"""fold: the summarize node with what it stands on; the work is in summarize.py."""

from collections.abc import Collection, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from graph.context import Context, identify
from graph.deps import Deps
from graph.nodes.intake import thread_of
from graph.nodes.summarize import make_summarize
from graph.state import State
from graph.storage import transcript


async def fold(state: State, config: RunnableConfig, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    subject, folds = identify(runtime), list[dict[str, Any]]()

    async def in_transcript(config: RunnableConfig, words: Sequence[str]) -> Collection[str]:
        async with deps.database.connection() as connection:
            return await transcript.holds(connection, subject, thread_of(config), words)

    summarize = make_summarize(
        (await deps.models()).summary,
        budget=deps.budget,
        count=deps.count,
        prompt=lambda words: deps.prompts.render("summarize", words=str(words)),
        search=in_transcript,
        report=folds.append,
        timeout=deps.settings.summary_timeout,
    )
    update = await summarize(state, config)
    runtime.stream_writer({"fold": folds})
    failed = any(fold["failure"] for fold in folds) and not update
    return {**update, "turn": {**state.get("turn", {}), "folds": folds, "fold_failed": failed}}
