"""The checkpointer keeps LangGraph's own contract, and retention never breaks a conversation."""

from collections.abc import AsyncIterator

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.graph import END, START, MessagesState, StateGraph

from trusted_memory.storage.checkpointer import Checkpointer, retain
from trusted_memory.storage.pool import Database


async def test_conformance(database: Database) -> None:
    """LangGraph's conformance suite passes whole, the optional capabilities included."""

    @checkpointer_test(name="Checkpointer")
    async def fresh() -> AsyncIterator[Checkpointer]:
        yield Checkpointer(await database.pool())

    report = await validate(fresh)
    failed = {name: r.failures for name, r in report.results.items() if not r.passed}
    assert not failed
    assert report.passed_all()


@pytest.mark.parametrize("keep", [1, 3])
async def test_retention_keeps_the_conversation(database: Database, keep: int) -> None:
    """After retention the state is what it was, the conversation goes on, and old rows are gone."""

    async def answer(state: MessagesState) -> dict[str, object]:
        return {"messages": [("assistant", f"answer {len(state['messages'])}")]}

    graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").add_edge("answer", END)
    saver = Checkpointer(await database.pool())
    compiled = graph.compile(checkpointer=saver)
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    for turn in range(5):
        await compiled.ainvoke({"messages": [HumanMessage(f"hello {turn}")]}, config)
    before = await compiled.aget_state(config)
    async with database.connection() as connection:
        assert await retain(connection, ["t", "unknown"], keep) > 0
        assert await retain(connection, ["t"], keep) == 0
        row = await (await connection.execute("select count(*) as n from checkpoints where thread_id = 't'")).fetchone()
        assert row
        assert row["n"] == keep
    after = await compiled.aget_state(config)
    assert after.values == before.values
    assert after.config == before.config
    result = await compiled.ainvoke({"messages": [HumanMessage("and on")]}, config)
    assert len(result["messages"]) == 12
