"""tools: the stock tool loop; each result is recorded, and what a system of record says becomes a fact."""

from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update
from trusted_memory import Memory, identify, speaking, thread_of, tool_failed


async def tools(
    state: State, config: RunnableConfig, runtime: Runtime[Context], *, memory: Memory, offered: Sequence[BaseTool]
) -> Update:
    subject, thread, turn = identify(runtime), thread_of(config), state.get("turn", {})
    with speaking(subject, thread):
        node = ToolNode(offered, handle_tool_errors=tool_failed)
        answered = await node.ainvoke({"messages": state["messages"]}, config)
    results = await memory.record_results(subject, thread, state["messages"], answered["messages"])
    runtime.stream_writer({"memory": {"written": results.written}})
    return {"messages": results.messages, "turn": {**turn, "written": [*turn.get("written", []), *results.written]}}
