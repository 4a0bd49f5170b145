"""A request in the making: what is in it so far, what that takes, and what can be left out of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage

from graph.core.history import Turn
from graph.core.reduce import CountText
from graph.nodes.tokens import Count
from graph.nodes.view import Shower, Shown, alternating, headed


@dataclass
class Draft:
    instructions: str
    facts: Sequence[str]
    summary: str
    tools: Sequence[Any]
    limit: int
    count: Count
    earlier: str = ""  # excerpts of turns that are left out
    opening: str = ""  # what the assistant said before the customer's first message
    steps: str = ""  # notes of the current turn's first steps, where it is too long to be shown
    turns: list[Shown] = field(default_factory=list)

    def messages(self) -> list[BaseMessage]:
        head = "\n".join(part for part in (*self.facts, self.summary, self.earlier, self.opening, self.steps) if part)
        conversation = alternating([message for turn in self.turns for message in turn.messages])
        return [SystemMessage(self.instructions), *headed(head, conversation)]

    @property
    def shown(self) -> int:
        """How many turns of the history are in it, the opening included."""
        return len(self.turns) + bool(self.opening)

    def total(self) -> int:
        return self.count(self.messages(), self.tools)

    def fits(self) -> bool:
        return self.total() <= self.limit

    def choose(self, history: Sequence[Turn], shower: Shower) -> None:
        """Newest turns as long as their sum fits; at least the current one. An estimate; `fits` is the proof."""
        left = self.limit - self.total()
        for turn in reversed(history):
            shown = shower.earlier(turn) if self.turns else shower.show(turn, shower.caps)
            left -= shown.tokens
            if left < 0 and self.turns:
                return
            self.turns.insert(0, shown)

    def lighten(self) -> bool:
        """Leave out the oldest of what is shown; false if only the current turn is left."""
        if self.opening:
            self.opening = ""
        elif len(self.turns) > 1:
            del self.turns[0]
        else:
            return False
        return True

    def tokens(self, words: CountText) -> dict[str, int]:
        """What each section takes; together the total that was proven."""
        fixed = self.count([SystemMessage(self.instructions)], self.tools)
        instructions = self.count([SystemMessage(self.instructions)], ())
        facts = sum(words(text) for text in self.facts)
        summary, excerpts = words(self.summary), words(self.earlier)
        total = self.total()
        return {
            "instructions": instructions,
            "tools": fixed - instructions,
            "facts": facts,
            "summary": summary,
            "excerpts": excerpts,
            "conversation": total - fixed - facts - summary - excerpts,
            "total": total,
        }
