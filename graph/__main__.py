"""The command line: `python -m graph …`."""

import sys

from graph.application import ours
from trusted_memory import main


def run() -> int:
    return main(ours)


if __name__ == "__main__":
    sys.exit(run())
