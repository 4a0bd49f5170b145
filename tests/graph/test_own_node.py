"""A fork's own nodes: one new file and one line of graph.py put a guard before the model, one line takes a node out."""

from pathlib import Path

import pytest

from tests.forks import checked, copied, replace_line

GUARD = '''"""call_model, guarded: what is none of a shop's business is answered here, and no model is asked."""

import re

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from graph.context import Context
from graph.deps import Deps
from graph.nodes.call_model import call_model as ask
from graph.state import State, Update
from trusted_memory import identify, last_said, thread_of

OFF_TOPIC = re.compile(r"horoscope|lottery", re.IGNORECASE)
ANSWER = "I can help with deliveries, orders and your account only."


async def call_model(state: State, config: RunnableConfig, runtime: Runtime[Context], *, deps: Deps) -> Update:
    if not OFF_TOPIC.search(last_said(state["messages"])):
        return await ask(state, config, runtime, deps=deps)
    reply = await deps.conversation.record(identify(runtime), thread_of(config), AIMessage(ANSWER))
    return {"messages": [reply]}
'''

GUARDED = '''"""What the guard answers, no model is asked; it is in the transcript, and the conversation goes on."""

from pathlib import Path

import graph.graph

ANSWER = "I can help with deliveries, orders and your account only."


async def test_the_guard_answers(talk, model):
    assert Path(graph.graph.__file__).is_relative_to(Path.cwd())
    turn = await talk.say("What does my horoscope say?")
    assert turn.reply == ANSWER
    assert model.requests == []
    assert await talk.transcript() == [("user", "What does my horoscope say?"), ("assistant", ANSWER)]
    turn = await talk.say("Correction: please deliver in the evening.")
    assert turn.written == [("insert", "delivery_window", "evening")]
    assert "evening" in turn.reply
    assert turn.report["refused"] == []
    shown = [m for m in model.requests if "response_format" not in m][-1]["messages"]
    assert ANSWER in [m["content"] for m in shown], "and it is shown as one of its own replies"
'''

WITHOUT = '''"""Without the advice of reconcile, everything is decided and stored as before."""

from pathlib import Path

import graph.graph


async def test_the_path_without_reconcile(talk):
    assert Path(graph.graph.__file__).is_relative_to(Path.cwd())
    assert "reconcile" not in talk.assistant.nodes
    assert await talk.say("Please deliver in the morning.")
    await talk.drain()
    turn = await talk.say("Correction: please deliver in the evening.")
    assert turn.written == [("replace", "delivery_window", "evening")]
    assert "evening" in turn.reply
'''


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    return copied(tmp_path)


def run(fork: Path, server: str, test: str) -> None:
    (fork / "tests/graph/test_of_the_fork.py").write_text(test, "utf-8")
    done = checked(fork, server, "tests/graph/test_of_the_fork.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_a_guard_before_the_model(fork: Path, database_server: str) -> None:
    """A file and a line: its answer is recorded and streamed like any reply, and other messages pass."""
    (fork / "graph/nodes/guard.py").write_text(GUARD, "utf-8")
    page = fork / "graph/graph.py"
    replace_line(page, "from graph.nodes.call_model import call_model", "from graph.nodes.guard import call_model")
    run(fork, database_server, GUARDED)


def test_a_node_less(fork: Path, database_server: str) -> None:
    """A line less: the path goes on without the node."""
    replace_line(fork / "graph/graph.py", '("reconcile", partial(reconcile, memory=memory)),')
    run(fork, database_server, WITHOUT)
