"""From said to stored, while messages keep coming at a fixed rate whether or not memory keeps up."""

import asyncio
import random
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from evals.scenarios.deliver import deliver, subject_of
from evals.scenarios.events import Said
from evals.scenarios.figures import percentile
from graph.deps import Deps

GROUP = "watched"
LAGS = """
    select extract(epoch from read_at - observed_at)::float as seconds from transcript
    where subject like %(subjects)s and kind = 'user'"""


async def watch(
    deps: Deps,
    sayings: Sequence[Said],
    *,
    rate: float,
    seconds: float,
    seed: int,
    customers: int = 2_000,
    patience: float = 60,
) -> dict[str, Any]:
    """So many messages a second for so long, each delivered twice. The lag is from said to stored."""
    dice = random.Random(seed)
    count = round(rate * seconds)
    threads = [str(uuid.uuid4()) for _ in range(customers)]
    start, began = time.monotonic(), datetime.now(UTC)

    async def say(number: int) -> None:
        at = number / rate
        await asyncio.sleep(max(0.0, start + at - time.monotonic()))
        model, who = dice.choice(sayings), dice.randrange(customers)
        said = Said(
            f"w-{number}", who, began + timedelta(seconds=at), model.text, model.kind, model.attribute, model.value
        )
        for _ in range(2):
            await deliver(deps, subject_of(who, GROUP), threads[who], said)

    async with asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(say(number))
    lags = await _lags(deps, patience)
    stored = [lag for lag in lags if lag is not None]
    return {
        "lag_messages": len(lags),
        "lag_rate": round(rate, 2),
        "lag_window": seconds,
        "lag_unread": len(lags) - len(stored),
        "lag_p50": round(percentile(stored, 0.5), 2),
        "lag_p95": round(percentile(stored, 0.95), 2),
        "lag_max": round(max(stored, default=0.0), 2),
    }


async def _lags(deps: Deps, patience: float) -> list[float | None]:
    """Of each message; None for what is still unread when patience ends."""
    until = time.monotonic() + patience
    while True:
        async with deps.database.connection() as connection:
            cursor = await connection.execute(LAGS, {"subjects": f"evals.{GROUP}-%"})
            lags = [row["seconds"] for row in await cursor.fetchall()]
        if None not in lags or time.monotonic() > until:
            return lags
        await asyncio.sleep(0.2)
