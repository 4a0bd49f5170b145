"""How long the parts of a turn may be, and how far they are shortened when the current turn alone is too large."""

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Caps:
    """Tokens of each part; `results` are those of the latest calls, which the model has not read yet."""

    earlier_results: int
    results: int
    message: int
    pictures: bool = True


# How far a turn is shortened as long as there is another way, and how far if there is none: below 40 tokens a reduced
# text is only its own marker.
READABLE = Caps(150, 250, 250)
TIGHTEST = Caps(40, 40, 40)


def squeeze(caps: Caps, floor: Caps, fits: Callable[[Caps], bool]) -> Caps | None:
    """The widest caps that fit: first earlier results give way, then the latest, then messages, then pictures."""
    for pictures in (True, False):
        tight = replace(caps, pictures=pictures)
        for part in ("earlier_results", "results", "message"):
            widest = getattr(caps, part)
            tight = replace(tight, **{part: min(getattr(floor, part), widest)})
            if fits(tight):
                return _widest(tight, part, widest, fits)
    return None


def _widest(caps: Caps, part: str, most: int, fits: Callable[[Caps], bool]) -> Caps:
    low, high = getattr(caps, part), most
    while high - low > max(8, low // 16):  # near enough; every try shows the whole turn again
        middle = (low + high) // 2
        wider = replace(caps, **{part: middle})
        if fits(wider):
            low, caps = middle, wider
        else:
            high = middle
    return caps
