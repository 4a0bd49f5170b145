"""settle: the turn's report. Everything durable has been written by the node that made it."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update


async def settle(state: State, runtime: Runtime[Context]) -> Update:
    turn = state.get("turn", {})
    report = {
        "urgent": turn.get("urgent", False),
        "why": turn.get("why", ""),
        "written": turn.get("written", []),
        "pending": sorted(set(turn.get("new", [])) - set(turn.get("read", []))),
        "refused": turn.get("refused", []),
        "problem": turn.get("problem", ""),
        "context": turn.get("context", {}),
        "fold_failed": turn.get("fold_failed", False),
    }
    runtime.stream_writer({"report": report})
    return {"turn": {"report": report}}
