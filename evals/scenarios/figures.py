"""Percentiles, and how a scenario's result is told."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; 0 where nothing was measured."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def tell(result: Mapping[str, Any], *, as_json: bool) -> None:
    """The result, one figure a line unless JSON alone is wanted; JSON is the last line either way."""
    if not as_json:
        for name, value in result.items():
            sys.stdout.write(f"{name:>28}  {value}\n")
    sys.stdout.write(json.dumps(result) + "\n")
