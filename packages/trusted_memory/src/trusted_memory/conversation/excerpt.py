"""What is still shown of old turns that no request holds and no summary covers yet: what the question touches."""

from collections.abc import Sequence

from trusted_memory.conversation.blocks import block
from trusted_memory.conversation.fitting import most
from trusted_memory.conversation.fold import Line
from trusted_memory.conversation.reduce import CountText, pieces, relevant

_HEAD = "Word for word from earlier turns; search_transcript finds the rest."


def excerpt(lines: Sequence[Line], question: str, cap: int, count: CountText) -> str:
    """A block of at most `cap` tokens; empty if not even one piece fits.

    A piece is a line or a sentence, and each says who said it. Those that share the rarest words with the question come
    first, then the newest; they are shown in the order in which they were said, with a mark for each gap.
    """
    said = [(line.who, " ".join(piece.split())) for line in lines for piece in pieces(line.said)]
    said = [(who, words) for who, words in said if words]
    touched = relevant([words for _, words in said], question)
    order = list(dict.fromkeys([*touched, *reversed(range(len(said)))]))

    def shown(number: int) -> str:
        text, after = [_HEAD], 0
        for at in sorted(order[:number]):
            text += ["[…]"] * (at > after) + [f"{said[at][0]}: {said[at][1]}"]
            after = at + 1
        return block("earlier", "\n".join(text))

    kept = most(len(order), lambda number: count(shown(number)) <= cap)
    return shown(kept) if kept else ""
