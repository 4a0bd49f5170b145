"""summarize: whole old turns into the bounded summary; the new summary and what it covers leave state together."""

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update
from trusted_memory import Conversation, identify


async def summarize(
    state: State, config: RunnableConfig, runtime: Runtime[Context], *, conversation: Conversation
) -> Update:
    folded, folds = await conversation.fold(identify(runtime), config, state)
    runtime.stream_writer({"fold": folds})
    failed = not folded and any(fold["failure"] for fold in folds)
    return {**folded, "turn": {**state.get("turn", {}), "folds": folds, "fold_failed": failed}}
