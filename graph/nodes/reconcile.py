"""reconcile: shows what the decisions would be. Advice only; the write decides again under the lock."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import MemoryState, State, Update
from trusted_memory import Memory, identify


async def reconcile(state: State | MemoryState, runtime: Runtime[Context], *, memory: Memory) -> Update:
    turn = state.get("turn", {})
    advice = await memory.preview(identify(runtime), turn)
    runtime.stream_writer({"memory": {"proposed": advice}})
    return {"turn": {**turn, "advice": advice}}
