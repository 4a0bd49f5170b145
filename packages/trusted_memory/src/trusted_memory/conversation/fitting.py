"""How much fits, where only the whole can be measured: a counter may find more in a text than in its parts."""

from collections.abc import Callable


def most(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `limit` that fits, 0 if none does; whatever is answered was measured.

    Doubled while it fits, then halved, so that a megabyte isn't measured for the few hundred words that fit.
    """
    low, high = 0, 1
    while high < limit and fits(high):
        low, high = high, high * 2
    high = limit if high >= limit else high - 1
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low
