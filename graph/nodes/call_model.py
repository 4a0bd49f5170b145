"""call_model: what is known, then a request that is proven to fit, then the model's reply, recorded as it was made."""

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from graph.context import Context
from graph.deps import Deps
from graph.state import State, Update
from trusted_memory import EMPTY, identify, last_said, spoken, thread_of

MOST_CALLS = 8  # rounds of tools in one turn; the last answer is asked for without tools


async def call_model(state: State, config: RunnableConfig, runtime: Runtime[Context], *, deps: Deps) -> Update:
    subject, turn, conversation = identify(runtime), state.get("turn", {}), deps.conversation
    calls, report = turn.get("calls", 0), {}
    if not calls and not spoken(state["messages"][-1]):
        reply = AIMessage(EMPTY)
    else:
        known = await deps.memory.recall(subject, last_said(state["messages"]))
        tools = deps.offered if calls < MOST_CALLS else []
        request = conversation.request(deps.instructions(runtime.context), state, known, tools=tools)
        report = request.report
        reply = await conversation.ask(request, config, tools=tools)
    reply = await conversation.record(subject, thread_of(config), reply)
    runtime.stream_writer({"context": report})
    return {"messages": [reply], "turn": {**turn, "calls": calls + 1, "context": report}}
