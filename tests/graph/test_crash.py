"""Killed at any instant, nothing is lost, nothing is doubled, nothing is half-written (F7)."""

import asyncio
import os
import subprocess
import sys
import threading
from typing import Any

import pytest

from graph.deploy import open_assistant
from graph.settings import ROOT, Settings
from support.scripted import Fail, Request, ScriptedModel, Slow, demo
from tests.graph.process import Died, running
from tests.graph.talk import OTHER, Talk, decided
from trusted_memory.storage import jobs

URGENT = "Correction: please deliver in the evening."
ORDINARY = "Please deliver in the morning."
AT_ONCE = 3  # processes


async def test_killed_at_any_step_of_a_turn(settings: Settings, talk: Talk) -> None:
    """Whatever step of an urgent turn a process dies at, going on or saying it again gives one fact and one answer."""

    def survives(step: int) -> bool:
        with running(settings) as process:
            process.arm(step)
            try:
                process.say(URGENT, user=f"u{step}", thread=f"t{step}", id="m1")
            except Died:
                return False
            return True

    first, survived = 1, [False]
    while not any(survived):
        steps = range(first, first + AT_ONCE)
        survived = await asyncio.gather(*(asyncio.to_thread(survives, step) for step in steps))
        first += AT_ONCE
    assert first > 35, "dying was tried at every step"
    with running(settings) as process:
        for step in range(1, first):
            where = {"user": f"u{step}", "thread": f"t{step}"}
            if step % 2:  # a host goes on where the run was, at the last checkpoint, if there is one
                process.ask("go on", **where)
            again = process.say(URGENT, **where, id="m1")
            assert "evening" in again["reply"] or "Thank you" in again["reply"], (step, again)
            assert [kind for kind, _ in again["history"]] == ["human", "ai"], (step, again)
        process.ask("drain")
    for step in range(1, first):
        user = f"u{step}"
        assert await talk.facts(user) == {"delivery_window": "evening"}, step
        assert (await talk.fact("delivery_window", user))["support"] == 1, step
        assert await decided(talk, user) == ["insert"], step
        said = await talk.transcript(user, f"t{step}")
        assert said[0] == ("user", URGENT), step
        assert {kind for kind, _ in said[1:]} == {"assistant"}, step


async def test_killed_at_any_step_of_the_background_job(settings: Settings, talk: Talk) -> None:
    """Whatever step of the background job a worker dies at, the next worker finishes it, once."""
    step, alive = 0, False
    while not alive:
        step += 1
        await talk.say(ORDINARY, user=f"u{step}", thread=f"t{step}", id="m1")
        with running(settings) as process:
            process.arm(step)
            try:
                await asyncio.to_thread(process.ask, "drain")
                alive = True
            except Died:
                pass
    assert step > 25, "dying was tried at every step"
    await talk.rows("update procrastinate_workers set last_heartbeat = last_heartbeat - interval '1 minute'")
    await talk.drain()
    for number in range(1, step + 1):
        user = f"u{number}"
        assert await talk.facts(user) == {"delivery_window": "morning"}, number
        assert (await talk.fact("delivery_window", user))["support"] == 1, number
        assert await decided(talk, user) == ["insert"], number
    assert not await talk.rows("select * from procrastinate_jobs where task_name = 'memory.read_subject'")


def fails_on(word: str) -> Any:
    """A model that breaks on any extraction request with this word in it; otherwise the demo model."""

    async def answer(request: Request) -> Any:
        reading = "response_format" in request
        return Fail(500, "choked") if reading and word in request["messages"][-1]["content"] else await demo(request)

    return answer


async def test_a_message_that_cannot_be_read_keeps_no_other_from_being_read(talk: Talk, model: ScriptedModel) -> None:
    """It ends in a failed job with its reason; the same customer's other messages, and other customers', are read."""
    model.otherwise = fails_on("plutonium")
    await talk.say("I'm allergic to peanuts.", id="before")
    await talk.say("I'm allergic to plutonium.", id="poisoned")
    await talk.say("I'm allergic to latex.", id="after")
    await talk.say("I'm allergic to nickel.", user="bob", thread=OTHER)
    for _ in range(6):  # the pauses between attempts add up to minutes
        await talk.drain()
        await talk.rows("update procrastinate_jobs set scheduled_at = null where scheduled_at is not null")
    assert set((await talk.facts()).values()) == {"peanuts", "latex"}
    assert set((await talk.facts("bob")).values()) == {"nickel"}
    async with talk.deps.database.connection() as connection:
        (failed,) = await jobs.failed(connection)
    assert failed["subject"] == "demo.alice"
    assert failed["attempts"] >= 5
    assert "poisoned" in failed["problem"]
    assert "choked" in failed["problem"]


async def test_a_failed_job_can_be_retried(talk: Talk, model: ScriptedModel) -> None:
    """Once the cause is gone, retrying a failed job reads the message that it left."""
    model.otherwise = fails_on("plutonium")
    await talk.say("I'm allergic to plutonium.", id="poisoned")
    for _ in range(6):
        await talk.drain()
        await talk.rows("update procrastinate_jobs set scheduled_at = null where scheduled_at is not null")
    model.otherwise = demo
    async with talk.deps.database.connection() as connection:
        assert await jobs.retry_failed(connection) == 1
    await talk.drain()
    assert set((await talk.facts()).values()) == {"plutonium"}
    assert not await talk.rows("select * from procrastinate_jobs where task_name = 'memory.read_subject'")


@pytest.mark.parametrize("how", ["embedded", "python -m graph worker"])
async def test_sigterm_drains(settings: Settings, talk: Talk, model: ScriptedModel, how: str) -> None:
    """A worker that is told to end finishes the message that it is reading, and takes no new one."""
    asked = threading.Event()

    async def slowly(request: Request) -> Any:
        asked.set()
        return Slow(1.0, await demo(request))

    await talk.say(ORDINARY, id="m1")
    model.add(slowly)
    if how == "embedded":
        with running(settings, background=True) as process:
            assert await asyncio.to_thread(asked.wait, 20)
            assert await asyncio.to_thread(process.terminate) == 0
    else:
        uri = settings.database_uri
        assert uri
        environment = os.environ | {
            "APP_DATABASE_URI": uri.get_secret_value(), "NVIDIA_BASE_URL": model.base_url, "APP_CHAT_MODEL": "scripted",
            "APP_SECRET": "for tests", "APP_AUTO_MIGRATE": "false",
        }  # fmt: skip
        command = [sys.executable, "-c", "from graph.__main__ import run; run()", "worker"]
        worker = await asyncio.to_thread(subprocess.Popen, command, cwd=ROOT, env=environment)
        try:
            assert await asyncio.to_thread(asked.wait, 30)
            worker.terminate()
            assert await asyncio.to_thread(worker.wait, 20) == 0
        finally:
            worker.kill()
    assert await talk.facts() == {"delivery_window": "morning"}
    assert not await talk.rows("select * from procrastinate_jobs where task_name = 'memory.read_subject'")
    assert not await talk.rows("select * from procrastinate_workers")


@pytest.mark.parametrize("seconds", [0, 0.001, 0.01, 0.03])
async def test_a_process_may_stop_before_its_worker_has_begun(settings: Settings, talk: Talk, seconds: float) -> None:
    """No pool is left behind half open: its tasks would keep the event loop, and the process, from ending."""
    await talk.deps.database.pool()
    before = len(tasks_of_pools())
    async with open_assistant(settings):
        await asyncio.sleep(seconds)
    assert len(tasks_of_pools()) == before


def tasks_of_pools() -> list[str]:
    found = [(task.get_name(), getattr(task.get_coro(), "cr_code", None)) for task in asyncio.all_tasks()]
    return [name for name, code in found if code and "psycopg_pool" in code.co_filename]
