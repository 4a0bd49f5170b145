"""Whole stories on the real product and a real PostgreSQL, judged against what was computed beforehand."""

import argparse
import asyncio
import random
import sys
from typing import Any

from evals.place import database
from evals.scenarios import meeting, planning, retailer
from evals.scenarios.figures import tell


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("scenario", help="whole stories on a real database", description=__doc__)
    stories = parser.add_subparsers(required=True, metavar="STORY")

    told = _story(stories, "retailer", retailer, lambda a, uri: retailer.run(
        uri, seed=a.seed, events=a.events, seconds=a.seconds, thinking=a.thinking))  # fmt: skip
    told.add_argument("--events", type=int, default=retailer.DAY)
    told.add_argument("--seconds", type=float, default=120, help="of the window in which the lag is measured")
    told.add_argument("--thinking", type=float, default=1.0, help="seconds an extraction takes in that window")

    told = _story(stories, "meeting", meeting, lambda a, uri: meeting.run(
        uri, seed=a.seed, minutes=a.minutes, model=a.model, name=a.name))  # fmt: skip
    told.add_argument("--minutes", type=int, default=90)
    told.add_argument("--model", default=None, help="URL of a real model (…/v1) for the summaries and the final list")
    told.add_argument("--name", default="model", help="the real model's name there")

    told = _story(stories, "planning", planning, lambda a, uri: planning.run(uri, seed=a.seed, turns=a.turns))
    told.add_argument("--turns", type=int, default=80)


def _story(stories: Any, name: str, module: Any, run: Any) -> argparse.ArgumentParser:
    """A story's module has a docstring, and `passed` for its result."""
    parser: argparse.ArgumentParser = stories.add_parser(
        name, help=module.__doc__.partition(":")[2].splitlines()[0].strip(), description=module.__doc__
    )
    parser.add_argument("--seed", type=int, default=None, help="by chance if not given; printed in any case")
    parser.add_argument("--json", action="store_true", help="nothing but the result")

    def main(arguments: argparse.Namespace) -> int:
        if arguments.seed is None:
            arguments.seed = random.SystemRandom().randrange(1_000_000)
        with database() as uri:
            result = asyncio.run(run(arguments, uri))
        tell(result, as_json=arguments.json)
        return int(not module.passed(result))

    parser.set_defaults(run=main)
    return parser


if __name__ == "__main__":
    ours = argparse.ArgumentParser(prog="python -m evals")
    add_parser(ours.add_subparsers(required=True))
    parsed = ours.parse_args()
    sys.exit(parsed.run(parsed))
