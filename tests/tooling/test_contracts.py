"""The import contracts name what they should: a list of modules must not fall behind the modules there are."""

import tomllib
from typing import Any

import grimp

from tools.bootstrap import ROOT

PURE = "What decides is pure: no I/O, no framework"


def contract(name: str) -> dict[str, Any]:
    """A contract of pyproject.toml, by its name."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return next(c for c in pyproject["tool"]["importlinter"]["contracts"] if c["name"] == name)


def test_what_is_pure_is_held_to_it() -> None:
    """Every module of reading and conversation that needs no I/O and no framework is in the contract: it stays so."""
    held = contract(PURE)
    seen = grimp.build_graph("trusted_memory", include_external_packages=True, cache_dir=None)
    modules = seen.find_descendants("trusted_memory.reading") | seen.find_descendants("trusted_memory.conversation")
    pure = {m for m in modules if not seen.find_upstream_modules(m) & set(held["forbidden_modules"])}
    assert pure == set(held["source_modules"]) - {"trusted_memory.facts"}
