"""What everybody compares with: one node that calls the model, all messages in state, LangGraph's Postgres saver."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph


def plain_graph(
    model: BaseChatModel, saver: BaseCheckpointSaver[Any]
) -> CompiledStateGraph[MessagesState, None, Any, Any]:
    """MessagesState and a saver, as LangGraph's introduction has it."""

    async def call(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("call", call)
    graph.add_edge(START, "call")
    graph.add_edge("call", END)
    return graph.compile(checkpointer=saver)
