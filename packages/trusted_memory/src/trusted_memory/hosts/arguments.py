"""What the command line takes as arguments: each type says what it expects where it gets something else."""

import argparse
from datetime import UTC, datetime


def name(text: str) -> str:
    """A customer's or tenant's name: anything that isn't blank."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a name, not a blank")
    return text


def moment(text: str) -> datetime:
    """A time of ISO 8601; without an offset it is UTC."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a date or time such as 2026-11-30 or 2026-11-30T18:00+01:00, not {text!r}"
        ) from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def how_many(text: str) -> int:
    """A whole number from 1 to a million."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 7 and 1 <= int(text) <= 1_000_000):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 1000000, not {text!r}")
    return int(text)


def renaming(text: str) -> tuple[str, str]:
    """OLD=NEW."""
    old, _, new = (part.strip() for part in text.partition("="))
    if not (old and new):
        raise argparse.ArgumentTypeError(f"expected OLD=NEW, not {text!r}")
    return old, new


def header(text: str) -> tuple[str, str]:
    """NAME:VALUE."""
    key, colon, value = (part.strip() for part in text.partition(":"))
    if not (key and colon):
        raise argparse.ArgumentTypeError(f"expected NAME:VALUE, not {text!r}")
    return key, value
