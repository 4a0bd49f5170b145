"""intake: who is speaking, what may be shown, what is new; recorded at once, and found urgent or not."""

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update, last_report
from trusted_memory import Memory, identify, thread_of


async def intake(state: State, config: RunnableConfig, runtime: Runtime[Context], *, memory: Memory) -> Update:
    received = await memory.receive(identify(runtime), thread_of(config), state["messages"])
    failed = bool(last_report(state).get("fold_failed"))
    return {"messages": received.changes, "turn": {**received.notes, "fold_failed": failed}}
