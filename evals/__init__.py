"""Figures and the commands that print them. They run on the engine's test domain (support.shop)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "packages" / "trusted_memory" / "tests"))
