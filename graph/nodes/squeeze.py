"""The current turn where it alone is too large: its parts are shortened, then its first steps become notes."""

from bisect import bisect_left
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from graph.core.blocks import block
from graph.core.budget import RequestTooLarge
from graph.core.caps import READABLE, TIGHTEST, Caps, squeeze
from graph.core.history import Item, Turn
from graph.core.reduce import CountText, reduce_text
from graph.nodes.draft import Draft
from graph.nodes.messages import lines_of
from graph.nodes.view import Shower, Shown


def squeeze_current(
    draft: Draft, current: Turn, shower: Shower, messages: Sequence[BaseMessage], words: CountText
) -> None:
    """Leaves the current turn in the draft as wide as the request allows; RequestTooLarge if no way fits."""
    steps = [at for at, item in enumerate(current.items) if item.role == "assistant"]
    starts = [1, *steps[1:]]  # where what is shown behind the customer's message begins; before it are notes

    def shortened(start: int, floor: Caps) -> Shown | None:
        kept = Turn((*current.items[:1], *current.items[start:]))
        draft.steps = _notes(current.items[1:start], messages, shower.caps.results, words)

        def fits(tighter: Caps) -> bool:
            draft.turns = [shower.show(kept, tighter)]
            return draft.fits()

        found = squeeze(shower.caps, floor, fits)
        return shower.show(kept, found) if found else None

    for floor in (READABLE, TIGHTEST):
        # A turn of 26 steps is known, which no shortening brings into 2,500 tokens.
        first = bisect_left(starts, True, key=lambda start, floor=floor: shortened(start, floor) is not None)  # type: ignore[misc]
        if first < len(starts) and (shown := shortened(starts[first], floor)):
            draft.turns = [shown]
            return
    then = f"it has {len(current.items)} messages; raise the budget's total, or limit the steps of a turn"
    raise RequestTooLarge("the current turn, shortened as far as it goes,", draft.total(), draft.limit, then)


def _notes(steps: Sequence[Item], messages: Sequence[BaseMessage], cap: int, words: CountText) -> str:
    text = "".join(line.text for line in lines_of([Turn(tuple(steps))], messages))
    return block("steps", reduce_text(text.strip(), cap, "", "", words))
