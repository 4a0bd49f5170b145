"""Travel: a corrected seat shapes the very next answer, in a conversation that is opened straight afterwards.

Another domain on the same graphs. The assistant and the background reading have a model server each, so that every
extraction on the response path is counted. Travellers pause between messages until memory has read the last one; of
whoever is faster, what might be a correction is read at the start of the next turn, for at most two seconds.
"""

import asyncio
import random
import re
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.place import CHAT, EXTRACTION, deps_for, settings_for
from evals.scenarios.deliver import drained, subject_of
from evals.scenarios.figures import percentile
from evals.scenarios.journeys import QUESTION, Journey, journey
from evals.schemas import TRAVEL
from evals.served import Request, Served, extractor, models
from evals.talk import Talk, talking
from graph.application import application
from graph.deps import Deps
from trusted_memory.facts.words import Subject
from trusted_memory.hosts.worker import worker
from trusted_memory.offline.replies import Reply, said
from trusted_memory.storage import transcript

SLOWEST = 20.0  # seconds: this domain's limit for the lag, and its warning
NEEDLESS = 0.25  # share of messages that correct nothing and may be read before the reply all the same
PATIENCE = 60.0  # seconds; whoever waits longer has found a fault
AT_ONCE = 10  # travellers at the same time
LAGS = "select extract(epoch from read_at - observed_at)::float as seconds from transcript where kind = 'user'"


@dataclass
class Seen:
    """What the travellers saw. `extractions` is what the model server of the replies had counted before any correction.

    `urgent` are the messages that the gate took for corrections, although none was one.
    """

    said: int = 0
    extractions: int = 0
    urgent: list[str] = field(default_factory=list)
    right: int = 0
    wrong: list[dict[str, str]] = field(default_factory=list)


def steward(request: Request) -> Reply:
    """Books what stands in memory, and nothing else."""
    shown = "\n".join(said(message) for message in request["messages"] if message["role"] == "user")
    seat = re.search(r"^- seat_preference: (\w+)", shown, re.MULTILINE)
    asked = said(request["messages"][-1]).endswith(QUESTION)
    return Reply((f"A seat at the {seat[1]}." if seat else "I don't know your seat.") if asked else "Noted.")


async def run(
    uri: str, *, seed: int, travellers: int = 30, pause: float = 1.0, thinking: float = 1.0
) -> dict[str, Any]:
    """`thinking` are the seconds that an extraction takes, on the response path and in the background."""
    dice = random.Random(seed)
    journeys = [journey(number, dice) for number in range(travellers)]
    script = extractor({text: claims for j in journeys for text, claims in j.claims.items()})
    with models(steward, script) as waiting, models(steward, script, keep=False) as behind:
        waiting.delays[EXTRACTION] = behind.delays[EXTRACTION] = thinking
        changes = {"lag_warning_seconds": SLOWEST}
        async with (
            deps_for(settings_for(uri, waiting.url, **changes), TRAVEL) as deps,
            deps_for(settings_for(uri, behind.url, **changes), TRAVEL) as reading,
            talking(deps, background=False) as talk,
        ):
            task = asyncio.create_task(worker(application(reading)))
            seen = await _travel(talk, journeys, waiting, pause)
            await drained(deps, patience=120)
            lags = await _lags(deps)
            task.cancel()
            await asyncio.wait([task])
    return {
        "seed": seed,
        "travellers": travellers,
        "messages_before_corrections": seen.said,
        "taken_for_urgent": len(seen.urgent),
        "taken_for_urgent_share": round(len(seen.urgent) / seen.said, 3),
        "taken_for_urgent_such_as": sorted(set(seen.urgent))[:5],
        "ordinary_messages": seen.said - len(seen.urgent),
        "extractions_before_ordinary_replies": seen.extractions - len(seen.urgent),
        "corrections": travellers,
        "corrections_in_next_answer": seen.right,
        "wrong_answers": seen.wrong[:5],
        "extractions_for_corrections": len(waiting.of(EXTRACTION)) - seen.extractions,
        "replies": len(waiting.of(CHAT)),
        "background_extractions": len(behind.of(EXTRACTION)),
        "thinking": thinking,
        "lag_p50": round(percentile(lags, 0.5), 2),
        "lag_p95": round(percentile(lags, 0.95), 2),
        "lag_max": round(max(lags, default=0.0), 2),
    }


def passed(result: dict[str, Any]) -> bool:
    right = result["corrections_in_next_answer"] == result["corrections"]
    waited = result["extractions_before_ordinary_replies"] or result["taken_for_urgent_share"] > NEEDLESS
    return right and not waited and result["lag_p95"] < SLOWEST


async def _each(journeys: Sequence[Journey], act: Callable[[int, Journey], Awaitable[None]]) -> None:
    """Some travellers at a time."""
    waiting = iter(enumerate(journeys))

    async def traveller() -> None:
        for number, made in waiting:
            await act(number, made)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(traveller())


async def _travel(talk: Talk, journeys: Sequence[Journey], served: Served, pause: float) -> Seen:
    seen, threads = Seen(), [str(uuid.uuid4()) for _ in journeys]

    async def plan(number: int, made: Journey) -> None:
        for text in made.ordinary:
            turn = await talk.say(subject_of(number, "traveller"), threads[number], text)
            seen.said += 1
            if turn.report["urgent"]:
                seen.urgent.append(text)
            await asyncio.sleep(pause)
            await _was_read(talk.deps, subject_of(number, "traveller"))

    async def correct(number: int, made: Journey) -> None:
        who = subject_of(number, "traveller")
        if made.at_once:
            await talk.say(who, threads[number], made.wish)
        await talk.say(who, threads[number], made.correction)
        answer = (await talk.say(who, str(uuid.uuid4()), QUESTION)).reply
        if made.seat in answer and made.old not in answer:
            seen.right += 1
        else:
            seen.wrong.append({"wished": made.wish, "corrected": made.correction, "answered": answer})

    await _each(journeys, plan)
    seen.extractions = len(served.of(EXTRACTION))
    await _each(journeys, correct)
    return seen


async def _was_read(deps: Deps, who: Subject) -> None:
    """Returns when memory has read all that the traveller has said."""
    async with asyncio.timeout(PATIENCE):
        while True:
            async with deps.database.connection() as connection:
                if not await transcript.unread(connection, who):
                    return
            await asyncio.sleep(0.1)


async def _lags(deps: Deps) -> list[float]:
    async with deps.database.connection() as connection:
        return [row["seconds"] for row in await (await connection.execute(LAGS)).fetchall()]
