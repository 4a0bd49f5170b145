"""Both graphs, on one page.

assistant: intake, then (only if urgent) extract → reconcile → write, then the model and its tools, then settle.
Old turns are summarized after the reply when the conversation is over its soft limit; before the call when it is over
its hard one, unless the last fold failed: then nobody waits for another, and the request excerpts what it leaves out.
memory: extract → reconcile → write over what memory has not read yet; it runs in the background.
"""

from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph

from graph.context import Context
from graph.deps import Deps
from graph.nodes.call_model import call_model
from graph.nodes.extract import extract, extract_unread
from graph.nodes.intake import intake
from graph.nodes.reconcile import reconcile
from graph.nodes.settle import settle
from graph.nodes.summarize import summarize
from graph.nodes.tools import tools
from graph.nodes.write import write
from graph.state import Input, MemoryState, State
from trusted_memory import answered


def assistant(deps: Deps) -> StateGraph[State, Context, Any, Any]:
    """One turn of a conversation. Prompts and budget are checked here, at start, not in a customer's turn."""
    memory, conversation = deps.memory, deps.conversation
    conversation.check(deps.instructions(), deps.tools)

    def after_intake(state: State) -> str:
        if answered(state["messages"]):
            return "settle"
        return "extract" if state["turn"]["urgent"] or state["turn"]["leftovers"] else before_call(state)

    def before_call(state: State) -> str:
        waits = not state["turn"].get("fold_failed") and conversation.over_hard(state["messages"])
        return "summarize" if waits else "call_model"

    def after_call(state: State) -> str:
        if not answered(state["messages"]):
            return "tools"
        return "summarize" if conversation.over_soft(state["messages"]) else "settle"

    def after_summary(state: State) -> str:
        return "settle" if answered(state["messages"]) else "call_model"

    graph = StateGraph(State, context_schema=Context, input_schema=Input)
    graph.add_node("intake", partial(intake, memory=memory))
    graph.add_sequence(
        [
            ("extract", partial(extract, memory=memory)),
            ("reconcile", partial(reconcile, memory=memory)),
            ("write", partial(write, memory=memory)),
        ]
    )
    graph.add_node("summarize", partial(summarize, conversation=conversation))
    graph.add_node("call_model", partial(call_model, deps=deps))
    graph.add_node("tools", partial(tools, memory=memory, offered=deps.tools))
    graph.add_node("settle", settle)

    graph.add_edge(START, "intake")
    graph.add_conditional_edges("intake", after_intake, ["extract", "summarize", "call_model", "settle"])
    graph.add_conditional_edges("write", before_call, ["summarize", "call_model"])
    graph.add_conditional_edges("call_model", after_call, ["tools", "summarize", "settle"])
    graph.add_conditional_edges("tools", before_call, ["summarize", "call_model"])
    graph.add_conditional_edges("summarize", after_summary, ["call_model", "settle"])
    graph.add_edge("settle", END)
    return graph


def memory(deps: Deps) -> StateGraph[MemoryState, Context, Any, Any]:
    """What memory has not read yet of one subject."""
    graph = StateGraph(MemoryState, context_schema=Context)
    graph.add_sequence(
        [
            ("extract", partial(extract_unread, memory=deps.memory)),
            ("reconcile", partial(reconcile, memory=deps.memory)),
            ("write", partial(write, memory=deps.memory)),
        ]
    )
    graph.add_edge(START, "extract")
    graph.add_edge("write", END)
    return graph
