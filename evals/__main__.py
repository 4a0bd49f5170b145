"""Evaluations: `python -m evals NAME …`. Each prints what it measured; its last line is one JSON object."""

import argparse
import importlib
import sys

NAMES = ("replay", "floor", "scale", "gate", "extract", "budget", "scenario", "overhead", "growth")


def main(argv: list[str]) -> int:
    top = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    subparsers = top.add_subparsers(required=True, metavar="NAME")
    for name in [n for n in NAMES if n in argv[:1]] or NAMES:  # the others' imports take a second
        importlib.import_module(f"evals.{name}").add_parser(subparsers)
    arguments = top.parse_args(argv)
    return int(arguments.run(arguments))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
