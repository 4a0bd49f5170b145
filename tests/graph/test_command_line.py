"""The command line where something is wrong, or there is nothing to show: one plain sentence, never Python's own."""

import argparse
import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from evals.__main__ import main as evals_main
from graph.application import application
from graph.deps import Deps
from graph.settings import read_settings
from tests.graph.talk import Talk
from trusted_memory import Application, BadSettings
from trusted_memory.hosts import cli, doctor, rights
from trusted_memory.hosts.cli import main, parser


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is printed, on a wide terminal without colours."""
    shown = io.StringIO()
    for module in (cli, doctor, rights):
        monkeypatch.setattr(module, "out", Console(file=shown, width=250, color_system=None))
    return shown


def asked(*words: str) -> argparse.Namespace:
    return parser().parse_args(words)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("facts --customer ana --as-of yesterday", "expected a date or time such as"),
        ("facts --customer ana --as-of 2026-13-01", "expected a date or time such as"),
        ("conflicts --most 0", "expected a whole number from 1"),
        ("ledger --customer ana --most -1", "expected a whole number from 1"),
        ("ledger --customer ana --most 9999999999999", "expected a whole number from 1"),
        ("recanonicalize --rename foo", "expected OLD=NEW"),
        ("forget --customer ana --yes --header foo", "expected NAME:VALUE"),
    ],
)
def test_arguments_that_can_not_be(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is refused with what is expected in its place."""
    with pytest.raises(SystemExit, match="2"):
        asked(*words.split())
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "  ", "\t"])
def test_a_customer_has_a_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A blank names nobody."""
    with pytest.raises(SystemExit, match="2"):
        asked("facts", "--customer", name)
    assert "expected a name" in capsys.readouterr().err


def test_arguments_that_can() -> None:
    """A time without an offset is UTC, one with an offset keeps it; pairs come apart at the first sign."""
    assert asked("facts", "--customer", "ana", "--as-of", "2026-11-30").as_of == datetime(2026, 11, 30, tzinfo=UTC)
    as_of = asked("facts", "--customer", "ana", "--as-of", "2026-11-30T18:00+01:00").as_of
    assert as_of == datetime(2026, 11, 30, 17, tzinfo=UTC)
    assert dict(asked("recanonicalize", "--rename", "a=b").rename) == {"a": "b"}
    given = asked("forget", "--customer", "ana", "--yes", "--header", "Authorization: Bearer a:b").header
    assert given == [("Authorization", "Bearer a:b")]


@pytest.mark.parametrize(
    "words", ["facts", "facts --as-of 2026-11-30", "ledger", "know", "forget --fact allergy=pineapple"]
)
async def test_a_customer_nobody_knows(words: str, deps: Deps, screen: io.StringIO) -> None:
    """Instead of an empty table it says that nothing is known; to forget what is not there is an error."""
    args = asked(*words.split(), "--customer", "nobody")
    code = await args.run(application(deps), args)
    forgetting = words.startswith("forget")
    assert code == int(forgetting)
    assert ("nothing to forget" if forgetting else "known of nobody") in screen.getvalue()


async def test_what_is_known_is_readable_on_a_narrow_terminal(talk: Talk, deps: Deps, screen: io.StringIO) -> None:
    """Each fact with its words and its decisions, a line each."""
    await talk.say("My shoe size is 42.")
    await talk.drain()
    args = asked("know", "--customer", "alice")
    assert await args.run(application(deps), args) == 0
    lines = [line.rstrip() for line in screen.getvalue().splitlines()]
    at = lines.index("shoe_size: 42 (support 1)")
    assert lines[at + 1].startswith("  said     “")
    assert lines[at + 2].startswith("  decided  ")
    assert lines[at + 2].endswith("insert: - → 42")


async def test_the_worker_says_what_it_did(talk: Talk, deps: Deps, screen: io.StringIO) -> None:
    """With --once: how many messages were read, and that nothing was left to read the next time."""
    await talk.say("My shoe size is 42.")
    args = asked("worker", "--once")
    await args.run(application(deps), args)
    assert "1 messages read; 0 not read yet" in screen.getvalue()
    await args.run(application(deps), args)
    assert "nothing to read" in screen.getvalue()


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("APP_BUDGET__TOTAL", "abc", "APP_BUDGET__TOTAL: "),
        ("APP_BUDGET__TOTAL", "1000", "more than the total of 1,000"),
        ("APP_BUDGET__TOTALLY", "1", "APP_BUDGET__TOTALLY: "),
        ("APP_BUDGET", "abc", "APP_BUDGET: expected JSON"),
        ("APP_POOL_SIZE", "many", "APP_POOL_SIZE: "),
        ("NVIDIA_BASE_URL", "hunter2", "NVIDIA_BASE_URL: not an address"),
        ("APP_DATABASE_URI", "mysql://x:hunter2@y/z", "APP_DATABASE_URI: not a PostgreSQL address"),
    ],
)
def test_settings_that_can_not_be(
    variable: str, value: str, says: str, monkeypatch: pytest.MonkeyPatch, screen: io.StringIO
) -> None:
    """One line names the variable; doctor has a row for it, and other commands end with it."""

    def make() -> Application:
        return application(Deps(read_settings()))

    monkeypatch.setenv(variable, value)
    with pytest.raises(BadSettings) as raised:
        read_settings()
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert main(make, ["doctor"]) == 1
    assert "settings" in screen.getvalue()
    assert says in screen.getvalue()
    assert main(make, ["migrate"]) == 1


async def test_doctor_names_what_is_wrong(deps: Deps, screen: io.StringIO) -> None:
    """A prompt with a stray dollar sign is a row of doctor's, and the rest is checked all the same."""
    whole = deps.prompts.texts["assistant"]
    deps.prompts.texts["assistant"] = type(whole)("It costs 5$ [/red]")
    assert await doctor.doctor(application(deps), argparse.Namespace()) == 1
    assert "prompts/assistant.md has a '$' that names nothing" in screen.getvalue()
    assert "attributes" in screen.getvalue()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("replay MISSING", "MISSING: No such file"),
        ("budget MISSING", "MISSING: No such file"),
        ("gate MISSING", "MISSING: No such file"),
        ("replay README.md", "README.md: not JSON lines"),
        ("replay evals/data/gate_cases.jsonl", "not in the format that replay reads"),
    ],
)
def test_evaluations_of_files_that_are_not_there(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says what is wrong with the file."""
    assert evals_main(words.split()) == 1
    assert says in capsys.readouterr().err
