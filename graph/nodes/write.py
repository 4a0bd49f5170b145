"""write: one transaction; what was read is decided again, on what is true now, and applied."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import MemoryState, State, Update
from trusted_memory import Memory, identify


async def write(state: State | MemoryState, runtime: Runtime[Context], *, memory: Memory) -> Update:
    turn = state.get("turn", {})
    outcome = await memory.commit(identify(runtime), turn)
    runtime.stream_writer({"memory": {"written": outcome["written"]}})
    left = {name: note for name, note in turn.items() if name not in ("readings", "advice")}
    return {"turn": {**left, **outcome, "written": [*turn.get("written", []), *outcome["written"]]}}
