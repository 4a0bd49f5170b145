"""extract: the model proposes claims about what memory has not read; what fails stays unread and harms nothing."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import MemoryState, State, Update
from trusted_memory import Memory, identify, identify_worker


async def extract(state: State | MemoryState, runtime: Runtime[Context], *, memory: Memory) -> Update:
    """In a turn: what can't wait, while the customer does."""
    turn = state.get("turn", {})
    return {"turn": {**turn, **await memory.read(identify(runtime), turn)}}


async def extract_unread(state: MemoryState, runtime: Runtime[Context], *, memory: Memory) -> Update:
    """In the background: everything unread, a batch at a time."""
    turn = state.get("turn", {})
    return {"turn": {**turn, **await memory.read(identify_worker(runtime), turn, background=True)}}
