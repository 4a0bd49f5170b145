"""Killed at any instant, nothing is lost, nothing is doubled, nothing is half-written (F7)."""

import asyncio

from graph.settings import Settings
from tests.graph.process import Died, running
from tests.graph.talk import Talk

URGENT = "Correction: please deliver in the evening."
ORDINARY = "Please deliver in the morning."
AT_ONCE = 3  # processes


async def decided(talk: Talk, user: str) -> list[str]:
    """What was decided, but for readings that were repeated and changed nothing."""
    return [row["outcome"] for row in await talk.ledger(user) if row["outcome"] != "noop"]


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
