"""The terminal: `chat` and the commands that show what customers said."""

import argparse
import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from graph.application import application
from graph.deps import Deps
from support.scripted import Fail, ScriptedModel
from tests.graph.talk import Talk
from trusted_memory.hosts import chat, cli


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is printed, on a wide terminal without colours."""
    shown = io.StringIO()
    for module in (chat, cli):
        monkeypatch.setattr(module, "out", Console(file=shown, width=250, color_system=None))
    return shown


def typing(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    typed: Iterator[str] = iter((*lines, ""))

    async def ask() -> str:
        return next(typed)

    monkeypatch.setattr(chat, "_ask", ask)


async def test_chat_streams_and_tells_what_memory_did(
    deps: Deps, screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reply, then one line a decision."""
    typing(monkeypatch, "Correction: please deliver in the evening.")
    await chat.chat(application(deps), argparse.Namespace(thread=None, tenant="demo", customer="alice", explain=True))
    assert "I have noted your delivery window: evening." in screen.getvalue()
    assert "memory: insert delivery_window: evening" in screen.getvalue()


async def test_chat_goes_on_after_an_error(
    deps: Deps, model: ScriptedModel, screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that fails costs one turn, not the session."""
    model.add(Fail(503, "busy [/red]"))
    typing(monkeypatch, "Hello", "Hello again")
    await chat.chat(application(deps), argparse.Namespace(thread=None, tenant="demo", customer="alice", explain=False))
    assert "ModelRefused" in screen.getvalue()
    assert "Hello! How can I help?" in screen.getvalue()


async def test_words_that_look_like_markup_are_shown_as_they_are(
    talk: Talk, deps: Deps, model: ScriptedModel, screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a customer's words nor a model's can break the terminal or colour it."""
    hostile = "Correction: [/bold][red]please deliver in the evening[/x]."
    model.add("Fine [/blue][link=http://example.org]!")
    await talk.say("Hi", thread="other")
    typing(monkeypatch, hostile)
    await chat.chat(application(deps), argparse.Namespace(thread=None, tenant="demo", customer="alice", explain=False))
    await cli.facts(application(deps), argparse.Namespace(tenant="demo", customer="alice", as_of=None))
    await cli.show_ledger(application(deps), argparse.Namespace(tenant="demo", customer="alice", most=50))
    assert "evening" in screen.getvalue()
