"""Planning: 4,000 tokens allowed, 10,000 of history; an early change of region shapes the final plan.

The planner of the end can only use what its request shows. Which regions, and in what words, is chosen by the seed.
`summarizer` may give the faults of the summarizer, a call each, in turn, such as fails,silent.
"""

import json
import uuid
from collections.abc import Sequence
from typing import Any

from evals.place import CHAT, SUMMARY, deps_for, settings_for
from evals.scenarios.figures import percentile
from evals.scenarios.itinerary import FINAL, Itinerary, itinerary, region_told
from evals.served import Request, Served, extractive, models
from evals.talk import Turn, talking
from trusted_memory.conversation.budget import Budget
from trusted_memory.facts.words import Subject
from trusted_memory.models.counting import count_text
from trusted_memory.offline.replies import Reply, said

# Instructions and six tools need 1,300 tokens; a planner of its own with fewer tools would leave more to the talk.
BUDGET = Budget(total=4_000, output_reserve=600, instructions=1_300, facts=300, summary=400, recent=1_400)


async def run(uri: str, *, seed: int, turns: int = 80, summarizer: str = "none") -> dict[str, Any]:
    made = itinerary(seed, turns=turns)
    replies = iter(made.replies)

    def chat(request: Request) -> Reply:
        if not said(request["messages"][-1]).endswith(FINAL):
            return Reply(next(replies))
        return Reply(f"The plan. Region: {region_told(wanted(request))}.")

    with models(chat, lambda _: Reply(json.dumps({"claims": []})), extractive(summarizer)) as served:
        who, thread = Subject("evals", "planner"), str(uuid.uuid4())
        async with deps_for(settings_for(uri, served.url, budget=BUDGET)) as deps, talking(deps) as talk:
            held = [await talk.say(who, thread, words) for words in made.said]
            held.append(await talk.say(who, thread, FINAL))
    return _result(made, seed, held, served)


def wanted(request: Request) -> str:
    """What the request shows of the customer: own messages, and the notes at the head of the first one."""
    return "\n".join(said(message) for message in request["messages"] if message["role"] == "user").replace(FINAL, "")


def _result(made: Itinerary, seed: int, turns: Sequence[Turn], served: Served) -> dict[str, Any]:
    tokens = [turn.tokens for turn in turns]
    compaction = [seconds for turn in turns if (seconds := turn.took("summarize")) is not None]
    history = sum(count_text(words) for words in [*made.said, *made.replies])
    return {
        "seed": seed,
        "changed": f"{made.old} -> {made.new}",
        "region_in_request": region_told(wanted(served.of(CHAT)[-1].request)),
        "region_in_plan": region_told(turns[-1].reply),
        "correct": made.new in turns[-1].reply and made.old not in turns[-1].reply,
        "allowed": BUDGET.total,
        "history_tokens": history,
        "turns": len(turns),
        "prompt_tokens_p50": percentile(tokens, 0.5),
        "prompt_tokens_max": max(tokens),
        "over_budget": sum(size > BUDGET.request for size in tokens),
        "compactions": len(compaction),
        "compactions_before_the_reply": sum(turn.waited for turn in turns),
        "compaction_failures": sum(bool(fold["failure"]) for turn in turns for fold in turn.folds),
        "compaction_seconds_p50": round(percentile(compaction, 0.5), 3),
        "summary_requests": len(served.of(SUMMARY)),
    }


def passed(result: dict[str, Any]) -> bool:
    return bool(result["correct"] and not result["over_budget"])
