"""call_model: assembles the request, proves that it fits, asks the model, and records what it said."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from graph.context import Context, identify
from graph.core.words import Subject
from graph.deps import Deps
from graph.models.counting import count_tokens
from graph.nodes.intake import spoken, thread_of
from graph.nodes.messages import keepable, remembered, text_of
from graph.nodes.relevant import relevant_first
from graph.nodes.request import assemble
from graph.state import State
from graph.storage import transcript
from graph.storage.pool import transaction
from graph.storage.recall import Recalled, recall

EMPTY = "I received an empty message. What can I do for you?"
NO_ANSWER = "I'm sorry, I have no answer to that. Could you put it differently?"
UNFINISHED = "I'm sorry, I could not finish that. Could you ask for less at a time?"
MOST_CALLS = 8  # rounds of tools in one turn; the last answer is asked for without tools


async def call_model(state: State, config: RunnableConfig, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    subject, now, turn = identify(runtime), datetime.now(UTC), state.get("turn", {})
    if not spoken(state["messages"][-1]) and not turn.get("calls"):
        reply, report = AIMessage(EMPTY), {}
    else:
        async with deps.database.connection() as connection:
            held = await recall(connection, subject, deps.schema, now)
        held = await relevant_first(deps, subject, held, last_said(state["messages"]))
        tools = deps.offered if turn.get("calls", 0) < MOST_CALLS else []
        summary, pinned = remembered(state)
        request = assemble(
            deps.instructions(runtime.context, now),
            {"memory": memory_lines(held), "just_now": just_now_lines(turn)},
            state["messages"],
            summary=summary,
            pinned=pinned,
            tools=tools,
            budget=deps.budget,
            count=deps.count,
        )
        report = request.report
        chat = (await deps.models()).chat
        answer = await (chat.bind_tools(tools) if tools else chat).ainvoke(request.messages, config)
        reply = keepable(whole(answer))
        deps.calibration.learn(count_tokens(request.messages, tools), reply.usage_metadata)
    reply.id = reply.id or f"reply-{uuid4()}"
    await record_reply(deps, subject, thread_of(config), reply, now)
    runtime.stream_writer({"context": report})
    return {"messages": [reply], "turn": {**turn, "calls": turn.get("calls", 0) + 1, "context": report}}


def last_said(messages: Sequence[BaseMessage]) -> str:
    """The customer's newest words."""
    return next((text_of(m) for m in reversed(messages) if isinstance(m, HumanMessage)), "")


def whole(reply: AIMessage) -> AIMessage:
    """The reply as it can be used. The rest of a call that max_tokens cut off may have been half an address."""
    cut = reply.response_metadata.get("finish_reason") == "length"
    if reply.tool_calls and not cut:
        return reply
    if spoken(reply) and not reply.tool_calls:
        return reply
    said = reply.text if reply.text.strip() else UNFINISHED if cut else NO_ANSWER
    # A new message with an id of its own: what was streamed under the old one is not streamed again.
    return AIMessage(said, usage_metadata=reply.usage_metadata, response_metadata=reply.response_metadata)


async def record_reply(deps: Deps, subject: Subject, thread: str, reply: AIMessage, now: datetime) -> None:
    """What isn't in the transcript is never shown to the model again, so the reply is recorded where it is made."""
    said = transcript.Message(str(reply.id), thread, "assistant", "assistant", now, spoken(reply))
    async with deps.database.connection() as connection, transaction(connection):
        await transcript.write(connection, subject, [said], deps.key)


def memory_lines(held: Recalled) -> str:
    """Facts with their provenance, one a line; values in conflict are named as such and not to be used."""
    lines = []
    for fact in held.facts.values():
        said = fact["quotes"][-1] if fact["quotes"] else None
        words = f' "{said["quote"]}"' if said and said["quote"] else ""
        origin = f" (said by the {said['origin']} on {said['said_at'][:10]}:{words})" if said else ""
        lines.append(one_line(f"- {fact['attribute']}: {fact['value']}{origin}"))
    lines += [
        one_line(f"- {r.attribute}: in conflict, ask which is right: {' / '.join(r.values)}")
        for r in held.conflicts.values()
    ]
    return "\n".join(lines)


def one_line(text: str) -> str:
    """A line is one fact: a break in a customer's words would begin another, with whatever they say of its origin."""
    return " ".join(text.split())


def just_now_lines(turn: dict[str, Any]) -> str:
    """What this turn did to memory, so that the reply can say the truth about it."""
    words = {
        "insert": "stored",
        "merge": "confirmed",
        "replace": "replaced",
        "retract": "retracted",
        "conflict": "conflict",
    }
    lines = []
    for note in turn.get("written", []):
        if note["outcome"] in words:
            before = f" (was {note['before']})" if note["outcome"] == "replace" and note["before"] else ""
            value = f"{note['after'] or note['before'] or ''}{before}"
            lines.append(one_line(f"- {words[note['outcome']]} {note['attribute']}: {value}"))
        elif note["outcome"] == "reject":
            reason = note["reason"].replace("_", " ")
            lines.append(one_line(f"- not stored {note['attribute']}: {note['value']} ({reason})"))
    if turn.get("telling") and set(turn.get("new", [])) - set(turn.get("read", [])):
        lines.append("- pending: the newest message is noted; what it says about the customer is not stored yet")
    return "\n".join(lines)
