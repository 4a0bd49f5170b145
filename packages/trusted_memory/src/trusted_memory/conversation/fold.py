"""Which old turns become summary, in what pieces, and whether what came back may replace them."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from trusted_memory.conversation.fitting import most

Unusable = Literal["empty", "truncated", "refused", "repetitive", "oversized"]

_CUT = {"length", "max_tokens", "max_length", "model_length"}
_REFUSED = {"content_filter", "refusal", "safety", "recitation"}
_REFUSAL = re.compile(
    r"\W*(?:i(?:['\u2019]?m| am) sorry|sorry,|i apologi[sz]e|i (?:can(?:not|['\u2019]t)|am unable|won't)|as an ai)",
    re.IGNORECASE,
)
_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)


def due(sizes: Sequence[int], cuts: Sequence[int], trigger: int, keep: int) -> int:
    """How many of the oldest turns to fold, of the numbers in `cuts`; none below the trigger, and never the newest.

    It goes on until about `keep` is left, well below the trigger, so that the next several turns fit and nothing is
    summarized every turn. A large turn that would leave much less than that stays, if what stays is below the trigger.
    """
    left = sum(sizes)
    if left <= trigger:
        return 0
    folded = 0
    for cut in cuts:
        then = left - sum(sizes[folded:cut])
        if cut == len(sizes) or left <= keep or (left <= trigger and keep - then > left - keep):
            break
        left, folded = then, cut
    return folded


@dataclass(frozen=True, slots=True)
class Line:
    """What somebody said in a turn, as the summarizer is shown it."""

    turn: int
    who: str
    said: str
    message: str = ""  # its id, where the rest can be read

    @property
    def text(self) -> str:
        return f"{self.who}: {self.said}\n"


def take(lines: Sequence[Line], fits: Callable[[str], bool]) -> tuple[list[Line], list[Line]]:
    """As many of the first lines as one request holds, and the rest; a line too long for it goes on in the next."""
    taken = most(len(lines), lambda number: fits("".join(line.text for line in lines[:number])))
    if taken or not lines:
        return list(lines[:taken]), list(lines[taken:])
    first = lines[0]
    end = _end(first.said, lambda said: fits(replace(first, said=said).text))
    return [replace(first, said=first.said[:end])], [replace(first, said=first.said[end:]), *lines[1:]]


def _end(text: str, fits: Callable[[str], bool]) -> int:
    """Where the first piece of the text ends: the longest that fits, not inside a word if that can be helped."""
    end = max(1, most(len(text) - 1, lambda end: fits(text[:end])))
    blank = max(text.rfind(" ", 0, end), text.rfind("\n", 0, end)) + 1
    return blank if blank > end // 2 and fits(text[:blank]) else end


def readable(reply: str) -> str:
    """The summary in a reply: without a reasoning model's thoughts and without a fence around it."""
    text = _THINKING.sub("", reply).strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        text = text.partition("\n")[2].removesuffix("```")
    return text.strip()


def unusable(text: str, finish: str, fits: Callable[[str], bool]) -> Unusable | None:
    """Why a summary may not replace what it covers, if so. `finish` is the provider's reason for stopping."""
    if finish.lower() in _REFUSED:
        return "refused"
    if finish.lower() in _CUT or "<think>" in text.lower():
        return "truncated"
    if not re.search(r"\w", text):
        return "empty"
    if _REFUSAL.match(text):
        return "refused"
    if _repeats(text):
        return "repetitive"
    return None if fits(text) else "oversized"


def _repeats(text: str) -> bool:
    """A model in a loop says one line six times, or few words very often."""
    lines = Counter(line.strip(" -*•").casefold() for line in re.split(r"[\n.]", text) if len(line.strip()) > 15)
    words = re.findall(r"\w+", text.casefold())
    return max(lines.values(), default=0) > 5 or (len(words) > 60 and len(set(words)) * 10 < len(words))
