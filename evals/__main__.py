"""Evaluations: `python -m evals NAME …`. Each prints what it measured; its last line is one JSON object."""

import argparse
import importlib
import json
import sys

import psycopg

from graph.settings import read_settings

NAMES = ("replay", "floor", "scale", "gate", "extract", "budget", "scenario", "overhead", "growth")


def main(argv: list[str]) -> int:
    top = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    subparsers = top.add_subparsers(required=True, metavar="NAME")
    for name in [n for n in NAMES if n in argv[:1]] or NAMES:  # the others' imports take a second
        importlib.import_module(f"evals.{name}").add_parser(subparsers)
    arguments = top.parse_args(argv)
    try:
        read_settings()
        return int(arguments.run(arguments))
    except KeyError as error:  # a line of another format
        if not getattr(arguments, "file", None):
            raise
        problem = f"{arguments.file} is not in the format that {argv[0]} reads: a line of it has no {error}"
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except json.JSONDecodeError as error:
        problem = f"{getattr(arguments, 'file', '')}: not JSON lines ({error})"
    except (ValueError, RuntimeError, psycopg.Error) as error:
        problem = str(error)
    sys.stderr.write(f"{problem}\n")
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
