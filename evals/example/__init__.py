"""The example domain, frozen: what the tests and evaluations run on, whatever a fork makes of the project's own.

Only in a process that imports `evals` or `tests` do these files stand for graph/domain.py, graph/tools.py and prompts/.
As long as those are the shipped example, tests/unit/test_example.py holds the two equal.
"""

import importlib.abc
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FILES = {"graph.domain": "domain.py", "graph.tools": "tools.py", "prompts": "prompts/__init__.py"}


class _StandIn(importlib.abc.MetaPathFinder):
    """Finds the example's file where one of these modules is asked for; imports nothing before that."""

    def __init__(self) -> None:
        self.files = dict(FILES)

    def find_spec(self, fullname: str, _path: Any, _target: Any = None) -> ModuleSpec | None:
        file = self.files.get(fullname)
        return spec_from_file_location(fullname, HERE / file) if file else None


_finder = _StandIn()


def stand_in() -> None:
    """From now on the example is this process's domain. Too late once the project's own has been imported."""
    if _finder in sys.meta_path:
        return
    if loaded := sorted(FILES.keys() & sys.modules.keys()):
        raise ImportError(f"{', '.join(loaded)} came first: import `evals` or `tests` before anything of the project")
    sys.meta_path.insert(0, _finder)


def own_prompts() -> None:
    """The project's own prompts after all, for those who measure them."""
    _finder.files.pop("prompts", None)
    sys.modules.pop("prompts", None)
