"""How long the parts of a turn may be, and how far they are shortened when the current turn alone is too large."""

from collections.abc import Callable
from dataclasses import dataclass, replace

SMALLEST = 40  # tokens; below this a reduced text is little more than its own marker


@dataclass(frozen=True, slots=True)
class Caps:
    """Tokens of each part; `results` are those of the latest calls, which the model has not read yet."""

    earlier_results: int
    results: int
    message: int
    pictures: bool = True


def squeeze(caps: Caps, fits: Callable[[Caps], bool]) -> Caps | None:
    """The widest caps that fit: first earlier results give way, then the latest, then messages, then pictures."""
    for part in ("earlier_results", "results", "message", "pictures"):
        if part == "pictures":
            tight = replace(caps, pictures=False)
            return tight if fits(tight) else None
        tight = replace(caps, **{part: min(SMALLEST, getattr(caps, part))})
        if fits(tight):
            return _widest(tight, part, getattr(caps, part), fits)
        caps = tight
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
