"""The programs and tables of the engine's README, as tests run and compare them."""

import re
from pathlib import Path

HOUSE = Path(__file__).parents[2]  # packages/trusted_memory
README = (HOUSE / "README.md").read_text("utf-8")


def program() -> str:
    """The one Python program in it."""
    [found] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    return str(found)


def printed() -> str:
    """What it says that the program prints: the block right behind it."""
    [found] = re.findall(r"```python\n.*?```\n\n```\n(.*?)```", README, re.DOTALL)
    return str(found)


def named() -> list[str]:
    """The names in the table of the surface."""
    return re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
