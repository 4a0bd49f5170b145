"""Both graphs, on one page.

assistant: intake, then (only if urgent) extract → reconcile → write, then the model and its tools, then settle.
Old turns are folded after the reply when the conversation is over its soft limit; before the call when it is over its
hard one, unless the last fold failed.
memory: extract → reconcile → write over what memory has not read yet; it runs in the background.
"""

from datetime import UTC, datetime
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph

from graph.context import Context
from graph.deps import Deps
from graph.nodes.call_model import call_model
from graph.nodes.fold import fold
from graph.nodes.intake import answered, intake
from graph.nodes.recent import over_hard, over_soft
from graph.nodes.reconcile import reconcile
from graph.nodes.request import check_fixed
from graph.nodes.settle import settle
from graph.nodes.tools import tools
from graph.nodes.unread import extract
from graph.nodes.write import write
from graph.state import Input, MemoryState, State


def assistant(deps: Deps) -> StateGraph[State, Context, Any, Any]:
    """One turn of a conversation. Prompts and budget are checked here, at start, not in a customer's turn."""
    deps.check_prompts()
    check_fixed(deps.instructions(None, datetime.now(UTC)), [*deps.tools, *deps.lookups], deps.budget, deps.count)

    def after_intake(state: State) -> str:
        if answered(state):
            return "settle"
        return "extract" if state["turn"]["urgent"] or state["turn"]["leftovers"] else before_call(state)

    def before_call(state: State) -> str:
        # After a fold that failed nobody waits for another: the request leaves out what is too much, and excerpts it.
        failed = state["turn"].get("fold_failed")
        return "fold" if not failed and over_hard(state["messages"], deps.budget, deps.count) else "call_model"

    def after_call(state: State) -> str:
        last = state["messages"][-1]
        if isinstance(last, AIMessage) and last.tool_calls:
            return "tools"
        return "summarize" if over_soft(state["messages"], deps.budget, deps.count) else "settle"

    graph = StateGraph(State, context_schema=Context, input_schema=Input)
    graph.add_node("intake", partial(intake, deps=deps))
    graph.add_node("extract", partial(extract, deps=deps))
    graph.add_node("reconcile", partial(reconcile, deps=deps))
    graph.add_node("write", partial(write, deps=deps))
    graph.add_node("fold", partial(fold, deps=deps))
    graph.add_node("call_model", partial(call_model, deps=deps))
    graph.add_node("tools", partial(tools, deps=deps))
    graph.add_node("summarize", partial(fold, deps=deps))
    graph.add_node("settle", settle)

    graph.add_edge(START, "intake")
    graph.add_conditional_edges("intake", after_intake, ["extract", "fold", "call_model", "settle"])
    graph.add_edge("extract", "reconcile")
    graph.add_edge("reconcile", "write")
    graph.add_conditional_edges("write", before_call, ["fold", "call_model"])
    graph.add_edge("fold", "call_model")
    graph.add_conditional_edges("call_model", after_call, ["tools", "summarize", "settle"])
    graph.add_conditional_edges("tools", before_call, ["fold", "call_model"])
    graph.add_edge("summarize", "settle")
    graph.add_edge("settle", END)
    return graph


def memory(deps: Deps) -> StateGraph[MemoryState, Context, Any, Any]:
    """What memory has not read yet of one subject."""
    graph = StateGraph(MemoryState, context_schema=Context)
    graph.add_node("extract", partial(extract, deps=deps, background=True))
    graph.add_node("reconcile", partial(reconcile, deps=deps))
    graph.add_node("write", partial(write, deps=deps))
    graph.add_edge(START, "extract")
    graph.add_edge("extract", "reconcile")
    graph.add_edge("reconcile", "write")
    graph.add_edge("write", END)
    return graph
