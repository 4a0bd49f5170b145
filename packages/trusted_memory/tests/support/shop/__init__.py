"""The engine's test domain: an online retailer. Tests and evaluations run on it, whatever a fork makes of its own."""

from pathlib import Path
from typing import Any

from support.shop.domain import SCHEMA, TOOL_FACTS
from support.shop.tools import make_tools
from trusted_memory.prompting import Prompts

__all__ = ["MIGRATIONS", "SCHEMA", "TOOL_FACTS", "make_tools", "parts"]

MIGRATIONS = Path(__file__).parent / "migrations"


def parts() -> dict[str, Any]:
    """What an application's composition root takes in place of its own domain."""
    return {
        "schema": SCHEMA, "tool_facts": TOOL_FACTS, "make_tools": make_tools,
        "prompts": Prompts("support.shop.prompts"), "migrations": MIGRATIONS,
    }  # fmt: skip
