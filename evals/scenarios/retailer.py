"""Retailer: 20,000 events at full speed, each delivered twice; then the lag at 20 times the daily rate.

The mix: 6,000 redeliveries, 2,000 paraphrases, 200 corrections. The assistant contradicts in between, and the
extractor, perfect otherwise, believes it. What must be believed, with which support and by which decisions, is reckoned
from the events alone. A day is 20,000 events, so that 20 times the daily rate is 4.6 events a second.
"""

import asyncio
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from evals.place import EXTRACTION, deps_for, settings_for
from evals.scenarios.claims import claimed
from evals.scenarios.deliver import deliver, drained, subject_of, tell_wrongly
from evals.scenarios.events import Customer, Mix, Said, Told, customers
from evals.scenarios.judging import judge
from evals.scenarios.lag import watch
from evals.scenarios.sayings import SINGLE
from evals.served import extractor, models
from evals.talk import Talk, talking
from trusted_memory.facts.words import Subject

DAY = 20_000  # events
TIMES = 20
AT_ONCE = 8  # customers whose messages arrive at the same time
SLOWEST = 30.0  # seconds: the lag that 95 of 100 messages must stay under


@dataclass
class Answers:
    """What the corrections came to in the next answer of a new conversation."""

    right: int = 0
    wrong: list[dict[str, str]] = field(default_factory=list)


async def run(uri: str, *, seed: int, events: int = DAY, seconds: float = 120, thinking: float = 1.0) -> dict[str, Any]:
    """`thinking` are the seconds that the extraction's model takes for each request while the lag is measured."""
    mix = Mix.of(events)
    plan = customers(mix, seed, datetime.now(UTC))
    deliveries = [arrival for customer in plan for arrival in customer.arrivals if isinstance(arrival, Said)]
    with models(extraction=extractor(*claimed(plan)), keep=False) as served:
        settings = settings_for(uri, served.url, model_timeout=60.0, pool_size=20)
        async with deps_for(settings) as deps, talking(deps) as talk:
            started = time.perf_counter()
            answers = await _deliver_all(talk, plan)
            delivered = time.perf_counter() - started
            await drained(deps)
            took = time.perf_counter() - started
            judged = await judge(deps, plan)
            requests = len(served.of(EXTRACTION))
            served.delays[EXTRACTION] = thinking
            lag = await watch(deps, deliveries, rate=DAY * TIMES / 86_400, seconds=seconds, seed=seed)
    return {
        "seed": seed,
        "events": mix.events,
        "redeliveries": mix.redeliveries,
        "paraphrases": mix.paraphrases,
        "corrections": mix.corrections,
        "customers": len(plan),
        "deliveries": len(deliveries),
        "contradictions": sum(isinstance(arrival, Told) for customer in plan for arrival in customer.arrivals),
        **judged,
        "corrections_in_next_answer": answers.right,
        "wrong_answers": answers.wrong[:5],
        "seconds_delivering": round(delivered, 1),
        "seconds": round(took, 1),
        "events_per_second": round(mix.events / took, 1),
        "deliveries_per_second": round(len(deliveries) / took, 1),
        "extraction_requests": requests,
        "lag_thinking": thinking,
        **lag,
    }


def passed(result: dict[str, Any]) -> bool:
    exact = ("facts_exact", "support_exact", "ledger_exact", "assistant_claims_rejected")
    answered = result["corrections_in_next_answer"] == result["corrections"]
    return all(result[name] for name in exact) and answered and not result["lag_unread"] and result["lag_p95"] < SLOWEST


async def _deliver_all(talk: Talk, plan: Sequence[Customer]) -> Answers:
    """Each customer's messages in order, several customers at once."""
    answers, waiting = Answers(), iter(plan)

    async def postman() -> None:
        for customer in waiting:
            await _deliver(talk, customer, answers)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(postman())
    return answers


async def _deliver(talk: Talk, customer: Customer, answers: Answers) -> None:
    subject, thread, asked = subject_of(customer.number), str(uuid.uuid4()), False
    for arrival in customer.arrivals:
        if isinstance(arrival, Told):
            await tell_wrongly(talk.deps, subject, thread, arrival)
        elif arrival.kind != "correction":
            await deliver(talk.deps, subject, thread, arrival)
        else:  # a turn of the assistant, as real customers have it
            await talk.say(subject, thread, arrival.text, message_id=arrival.id)
            if not asked:
                await _ask(talk, subject, arrival, answers)
            asked = True


async def _ask(talk: Talk, subject: Subject, correction: Said, answers: Answers) -> None:
    """In a new conversation, straight afterwards."""
    words = SINGLE[correction.attribute]
    answer = (await talk.say(subject, str(uuid.uuid4()), words.asks)).reply
    told = {value for value in words.values if value in answer.replace(".", " ").split()}
    if told == {correction.value}:
        answers.right += 1
    else:
        answers.wrong.append({"said": correction.text, "asked": words.asks, "answered": answer})
