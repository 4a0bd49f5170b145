"""Whole stories on the real product and a real PostgreSQL, judged against what was computed beforehand."""

import argparse
import asyncio
import inspect
import random
import sys
from types import ModuleType
from typing import Any

from evals.place import database
from evals.scenarios import meeting, planning, retailer, travel
from evals.scenarios.figures import tell

# Each has a docstring, `run(uri, *, seed, …)` whose other arguments are its options, and `passed` for its result.
STORIES = {"retailer": retailer, "travel": travel, "meeting": meeting, "planning": planning}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("scenario", help="whole stories on a real database", description=__doc__)
    stories = parser.add_subparsers(required=True, metavar="STORY")
    for name, module in STORIES.items():
        about = (module.__doc__ or "").partition(":")[2].strip()
        story = stories.add_parser(name, help=about.splitlines()[0], description=about)
        story.add_argument(
            "--seed", type=int, default=random.SystemRandom().randrange(1_000_000), help="else by chance"
        )
        story.add_argument("--json", action="store_true", help="nothing but the result")
        for option, default in _options(module).items():
            story.add_argument(
                f"--{option.replace('_', '-')}", type=type(default) if default is not None else str, default=default
            )
        story.set_defaults(run=main, story=name)


def _options(module: ModuleType) -> dict[str, Any]:
    arguments = inspect.signature(module.run).parameters.values()
    return {a.name: a.default for a in arguments if a.default is not a.empty}


def main(arguments: argparse.Namespace) -> int:
    module: Any = STORIES[arguments.story]
    options = {name: getattr(arguments, name) for name in _options(module)}
    with database() as uri:
        result = asyncio.run(module.run(uri, seed=arguments.seed, **options))
    tell(result, as_json=arguments.json)
    return int(not module.passed(result))


if __name__ == "__main__":
    ours = argparse.ArgumentParser(prog="python -m evals")
    add_parser(ours.add_subparsers(required=True))
    parsed = ours.parse_args()
    sys.exit(parsed.run(parsed))
