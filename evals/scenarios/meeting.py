"""Meeting: 18,000 tokens in 90 minutes under the 12,000 allocation; a correction of minute 15 holds at 80.

The note-taker posts what was said, `every` so many minutes. Which action is corrected, to whom and in what words is
chosen by the seed. The summarizer can only copy, or has the faults of `summarizer`, a call each, in turn, such as
fails,silent. With a real model, that writes the summaries, each within `summary-patience` seconds or not at all, and
the final action list within `patience` seconds.
"""

import json
import re
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from evals.place import CHAT, SUMMARY, deps_for, settings_for
from evals.scenarios.figures import percentile
from evals.scenarios.minutes import Meeting, meeting, owner_told
from evals.served import Request, Script, Served, extractive, forward, models
from evals.talk import Turn, talking
from trusted_memory.conversation.budget import Budget
from trusted_memory.facts.words import Subject
from trusted_memory.models.counting import count_text
from trusted_memory.offline.replies import Reply, said

ASKED_AT = 80
QUESTION = "Who is to {task}? And list every open action of this meeting with its owner, one a line."


def heard(final: Script) -> Script:
    """The assistant of the meeting takes note, and answers the question at the end."""
    return lambda request: final(request) if said(request["messages"][-1]).endswith("one a line.") else Reply("Noted.")


def copied(request: Request) -> Reply:
    """An action list that is copied from what the request shows."""
    shown = told(request).splitlines()
    return Reply("\n".join(line for line in shown if re.search(r"\bwill\b|\bowns\b|reassigned|takes over", line)))


def told(request: Request) -> str:
    """All that a request shows but our instructions and its question."""
    text = "\n".join(said(message) for message in request["messages"][1:])
    return re.sub(r"^Who is to .*$", "", text, flags=re.MULTILINE)


def silent(_: Request) -> Reply:
    """Nothing that is said in a meeting is about the customer."""
    return Reply(json.dumps({"claims": []}))


async def run(  # noqa: PLR0913 - each is an option of the command
    uri: str,
    *,
    seed: int,
    minutes: int = 90,
    every: int = 1,
    summarizer: str = "none",
    model: str | None = None,
    name: str = "",
    patience: float = 1_800,
    summary_patience: float = 300,
) -> dict[str, Any]:
    held = meeting(seed, minutes=minutes, characters=66_000 * minutes // 90)
    real = forward(model, name, patience) if model else None
    with models(heard(real or copied), silent, real or extractive(summarizer)) as served:
        limits = {"model_timeout": patience, "summary_timeout": summary_patience} if model else {}
        settings = settings_for(uri, served.url, budget=Budget(), **limits)
        who, thread = Subject("evals", "note-taker"), str(uuid.uuid4())
        before = min(ASKED_AT, minutes - 1)
        posted, rest = _posts(held.minutes[:before], every), _posts(held.minutes[before:], every)
        async with deps_for(settings) as deps, talking(deps) as talk:
            turns = [await talk.say(who, thread, words) for words in posted]
            turns.append(await talk.say(who, thread, QUESTION.format(task=held.task)))
            turns += [await talk.say(who, thread, words) for words in rest]
    return _result(held, seed, posted, turns, served)


def _posts(minutes: Sequence[str], every: int) -> list[str]:
    """What the note-taker posts, each so many minutes."""
    return ["\n".join(minutes[at : at + every]) for at in range(0, len(minutes), every)]


def _result(held: Meeting, seed: int, posted: Sequence[str], turns: Sequence[Turn], served: Served) -> dict[str, Any]:
    asked_at, everything = len(posted), "\n".join(posted)
    answer = turns[asked_at]
    shown = told(served.of(CHAT)[asked_at].request)
    tokens = [turn.tokens for turn in turns]
    compaction = [seconds for turn in turns if (seconds := turn.took("summarize")) is not None]
    open_actions = {task for task in held.owners if task in everything}
    limit = Budget().request
    return {
        "seed": seed,
        "corrected": f"{held.task}: {held.old} -> {held.new}",
        "owner_in_request": owner_told(shown, held.task),
        "correct_in_request": owner_told(shown, held.task) == held.new,
        "correct_in_answer": owner_told(answer.reply, held.task) == held.new,
        "actions_right_in_request": sum(owner_told(shown, task) == held.owners[task] for task in open_actions),
        "actions_right_in_answer": sum(owner_told(answer.reply, task) == held.owners[task] for task in open_actions),
        "actions": len(open_actions),
        "transcript_tokens": sum(map(count_text, held.minutes)),
        "transcript_characters": sum(map(len, held.minutes)),
        "turns": len(turns),
        "prompt_tokens_p50": percentile(tokens, 0.5),
        "prompt_tokens_p95": percentile(tokens, 0.95),
        "prompt_tokens_max": max(tokens),
        "over_budget": sum(size > limit for size in tokens),
        "compactions": len(compaction),
        "compactions_before_the_reply": sum(turn.waited for turn in turns),
        "compaction_failures": Counter(fold["failure"] for turn in turns for fold in turn.folds if fold["failure"]),
        "turns_summarized": sum(fold["turns"] for turn in turns for fold in turn.folds),
        "lines_nobody_said": sum(fold["ungrounded"] for turn in turns for fold in turn.folds),
        "excerpts_in_request": answer.report["context"]["tokens"]["excerpts"],
        "answer": answer.reply,
        "compaction_seconds_p50": round(percentile(compaction, 0.5), 3),
        "compaction_seconds_max": round(max(compaction, default=0.0), 3),
        "summary_requests": len(served.of(SUMMARY)),
        "prompt_tokens": tokens,
    }


def passed(result: dict[str, Any]) -> bool:
    return bool(result["correct_in_request"] and result["correct_in_answer"] and not result["over_budget"])
