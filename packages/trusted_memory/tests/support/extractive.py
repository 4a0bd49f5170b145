"""A scripted summarizer that can only copy lines it was shown, with the faults that real ones have."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

FAULTS = ("none", "fails", "silent", "rambles", "loops", "refuses", "cut")

_BLOCK = re.compile(r"<(summary|transcript)>\n(.*?)\n</\1>", re.DOTALL)
_LIMIT = re.compile(r"[Aa]t most (\d+) words")
_CORRECTION = re.compile(
    r"\b(?:actually|instead|rather|correct(?:ion|ed)?|chang(?:e|ed)|mov(?:e|ed) to|no longer|not .{1,40} but|wrong|"
    r"replac(?:e|es|ed)|reassign(?:ed)?|take[sn]? over|sorry)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:agreed?|decid(?:e|ed)|confirm(?:ed)?|approv(?:e|ed|al)|owner|action|deadline|book(?:ed)?|cancel(?:led)?|yes)\b",
    re.IGNORECASE,
)


class Extractive(BaseChatModel):
    """Copies the lines worth most, as many as it may. `faults` are what it does instead, one a call, in turn."""

    faults: tuple[str, ...] = ("none",)
    asked: list[list[BaseMessage]] = Field(default_factory=list)  # every request that it got, for the checker
    calls: int = 0

    @property
    def shown(self) -> str:
        """All that it was ever shown."""
        return "".join(str(message.content) for request in self.asked for message in request)

    @property
    def _llm_type(self) -> str:
        return "extractive"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the interface of chat models
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - likewise
        **kwargs: Any,
    ) -> ChatResult:
        fault = self.faults[self.calls % len(self.faults)]
        self.calls += 1
        request = "\n".join(str(message.content) for message in messages)
        self.asked.append(list(messages))
        lines = [line for _, text in _BLOCK.findall(str(messages[-1].content)) for line in text.splitlines()]
        limit = _LIMIT.search(request)
        words = min(int(limit.group(1)) if limit else 200, int(kwargs.get("max_tokens", 1_000)))
        reply = AIMessage(copied(lines, words), response_metadata={"finish_reason": "stop"})
        match fault:
            case "fails":
                raise ConnectionError("[503] the model is away")
            case "silent":
                reply.content = ""
            case "rambles":
                reply.content = "\n".join(lines)[: 40 * int(kwargs.get("max_tokens", 1_000))] + " and so on" * 500
            case "loops":
                reply.content = "\n".join(["the customer asked about the flight"] * 20)
            case "refuses":
                reply.content = "I'm sorry, but I can't help with that."
            case "cut":
                reply.response_metadata = {"finish_reason": "length"}
        return ChatResult(generations=[ChatGeneration(message=reply)])


def copied(lines: Sequence[str], words: int) -> str:
    """The lines worth most, in their order, within so many words."""
    unique = list(dict.fromkeys(part for line in lines for part in _short(line)))
    chosen: set[int] = set()
    for at in sorted(range(len(unique)), key=lambda at: (-_worth(unique[at]), -at)):
        cost = max(len(unique[at].split()), len(unique[at]) // 6)
        if cost <= words:
            words -= cost
            chosen.add(at)
    return "\n".join(unique[at] for at in sorted(chosen))


def _short(line: str) -> Iterator[str]:
    """A line in pieces of a sentence or so, each with the speaker in front."""
    who, colon, said = line.partition(": ")
    if not colon or len(line) < 160:
        yield line.strip()
        return
    for sentence in re.split(r"(?<=[.!?]) ", said):
        start = sentence.strip()[:160]
        # Half an order number would be a thing that nobody said.
        yield f"{who}: {start.rpartition(' ')[0] or start if len(start) == 160 else start}"


def _worth(line: str) -> int:
    return (
        8 * bool(_CORRECTION.search(line))
        + 3 * bool(_DECISION.search(line))
        + 3 * line.startswith("customer")
        + bool(re.search(r"\d", line))
        - 6 * line.startswith(("tool", "assistant called"))
    )
