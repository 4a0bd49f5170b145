"""Being written: see the tracker."""

import argparse
from typing import Any


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("scale", description=__doc__)
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    raise SystemExit("not written yet")
