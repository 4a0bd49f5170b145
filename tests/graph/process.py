"""The assistant in a process of its own, as an application would embed it, so that a test can kill it.

`Process.arm(n)` kills it right before its n-th step from then on: every SQL statement and every request to a model is
one. Nothing in a killed process gets a chance to tidy up.
"""

import asyncio
import contextlib
import faulthandler
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import psycopg
from langgraph.errors import EmptyInputError

from evals.place import shop_deps
from graph.settings import Settings
from tests.graph.talk import THREAD, Talk
from trusted_memory.models.nvidia import NVIDIA

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.graph.process"])  # importing LangGraph takes longer than a turn
_one_at_a_time = threading.Lock()  # started from two threads at once, the fork server hung in one run of four


class Died(Exception):
    """The process was killed before it answered."""


class Process:
    """`say` one message and get the answer; `drain` does the background reading; `kill` is SIGKILL."""

    def __init__(self, settings: dict[str, Any], *, background: bool = False) -> None:
        with _one_at_a_time:
            self._ours, theirs = _context.Pipe()
            self._process = _context.Process(target=_serve, args=(theirs, settings, background), daemon=True)
            self._process.start()
            theirs.close()

    def ask(self, what: str, **values: Any) -> Any:
        self.begin(what, **values)
        return self.answer()

    def begin(self, what: str, **values: Any) -> None:
        """Asks without waiting for the answer."""
        self._ours.send((what, values))

    def answer(self, timeout: float = 60) -> Any:
        try:
            if not self._ours.poll(timeout):
                raise TimeoutError(f"no answer within {timeout} s")
            return self._ours.recv()
        except (EOFError, ConnectionResetError) as error:
            self._join(5)
            raise Died(f"exit code {self._process.exitcode}") from error

    def say(self, text: str, **values: Any) -> Any:
        return self.ask("say", text=text, **values)

    def arm(self, at: int) -> None:
        self.ask("arm", at=at)

    def kill(self) -> None:
        self._process.kill()
        self._join(5)

    def terminate(self) -> int | None:
        """SIGTERM; gives the exit code."""
        self._process.terminate()
        self._join(30)
        return self._process.exitcode

    def _join(self, timeout: float) -> None:
        with _one_at_a_time:
            self._process.join(timeout)


@contextmanager
def running(settings: Settings, **options: Any) -> Iterator[Process]:
    secrets = {name: value for name, value in settings.model_dump().items() if value is not None}
    secrets |= {n: secrets[n].get_secret_value() for n in ("database_uri", "secret")}
    process = Process(secrets, **options)
    try:
        yield process
    finally:
        process.kill()


class _Steps:
    """What this process did since it was armed; it dies right before step number `dies_at`."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.dies_at = 0
        self._count(psycopg.AsyncCursor, "execute")
        self._count(psycopg.AsyncCursor, "executemany")
        self._count(NVIDIA, "_agenerate")
        self._count(NVIDIA, "_astream", stream=True)

    def arm(self, at: int) -> None:
        self.done, self.dies_at = [], at

    def step(self, what: str) -> None:
        self.done.append(" ".join(what.split())[:60])
        if len(self.done) == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def _count(self, owner: Any, name: str, *, stream: bool = False) -> None:
        original = getattr(owner, name)

        async def counted(target: Any, *args: Any, **kwargs: Any) -> Any:
            if args[0] != "":  # the pool looks whether a connection still lives
                self.step(str(args[0]))
            return await original(target, *args, **kwargs)

        async def counted_stream(target: Any, *args: Any, **kwargs: Any) -> Any:
            self.step(name)
            async for part in original(target, *args, **kwargs):
                yield part

        setattr(owner, name, counted_stream if stream else counted)


def _serve(connection: Connection, settings: dict[str, Any], background: bool) -> None:
    faulthandler.dump_traceback_later(30)  # says where it hangs, if it does
    asyncio.run(_run(connection, settings, background, _Steps()))


async def _run(connection: Connection, settings: dict[str, Any], background: bool, steps: _Steps) -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    deps = shop_deps(Settings(_env_file=None, **settings))
    async with Talk.open(deps, background=background) as talk:
        requests = asyncio.create_task(_answer_all(connection, talk, steps))
        stopped = asyncio.create_task(stopping.wait())
        await asyncio.wait([requests, stopped], return_when=asyncio.FIRST_COMPLETED)
        requests.cancel()
    await deps.database.close()


async def _answer_all(connection: Connection, talk: Talk, steps: _Steps) -> None:
    while True:
        while not connection.poll():  # noqa: ASYNC110 - a pipe between processes has no event
            await asyncio.sleep(0.01)
        what, values = connection.recv()
        connection.send(await _answer(talk, steps, what, values))


async def _answer(talk: Talk, steps: _Steps, what: str, values: dict[str, Any]) -> Any:
    match what:
        case "arm":
            return steps.arm(values["at"])
        case "drain":
            return await talk.drain()
        case "steps":
            return steps.done
        case "go on":
            with contextlib.suppress(EmptyInputError):  # it died before the first checkpoint
                await talk.send(None, **values)
            return None
    turn = await talk.say(values.pop("text"), **values)
    history = await talk.history(values.get("thread", THREAD))
    return {"reply": turn.reply, "written": turn.written, "history": history}
