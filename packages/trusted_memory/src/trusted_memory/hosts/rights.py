"""Commands for a customer's rights (know, export, correct, forget) and for reviewers (conflicts, settle)."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from trusted_memory.facts.words import Subject
from trusted_memory.hosts import arguments
from trusted_memory.hosts.application import Application
from trusted_memory.storage import know, review
from trusted_memory.storage.correct import Correction
from trusted_memory.storage.correct import correct as write_correction
from trusted_memory.storage.erasure.erase import forget as erase
from trusted_memory.storage.erasure.host import Host
from trusted_memory.storage.review import Settlement

out = Console()

# What `know` gives of a customer, and how it is told.
_KINDS = {
    "facts": "",
    "conflicts": "in conflict",
    "withdrawn": "withdrawn",
    "kept_but_not_used": "kept, but not used: domain.py has no such attribute",
}


async def tell(app: Application, args: argparse.Namespace) -> int:
    """What do you know about me: every fact with its quotes and its history."""
    async with app.memory.database.connection() as connection:
        known = await know.know(connection, _subject(args), app.memory.schema, datetime.now(UTC))
    if args.json:
        return _json(known)
    if not any(known[part] for part in (*_KINDS, "heard_but_not_kept", "messages")):
        out.print(Text(f"nothing is known of {args.customer}"))
        return 0
    for part, kind in _KINDS.items():
        for fact in known[part]:
            value = fact.get("value") or " / ".join(fact.get("values", ()))
            support = f"support {fact['support']}" if "support" in fact else kind
            out.print(Text(f"{fact['attribute']}: {value} ({support})" if value else f"{fact['slot']}: {kind}", "bold"))
            _lines("said", _quotes(fact["quotes"]))
            _lines("decided", _history(fact.get("history", ())))
    for row in known["heard_but_not_kept"]:
        said = f"{row['attribute']}: {row['value'] or ''} ({row['reason'].replace('_', ' ')}) “{row['quote']}”"
        out.print(Text(f"heard, but not kept: {said}"))
    waiting = f"; {known['not_read_yet']} of them not read yet" if known["not_read_yet"] else ""
    out.print(Text(f"{known['messages']} messages are kept in the transcript{waiting} (export shows them all)"))
    return 0


async def export(app: Application, args: argparse.Namespace) -> int:
    """Everything kept about a customer, as JSON on standard output."""
    async with app.memory.database.connection() as connection:
        return _json(await know.export(connection, _subject(args)))


async def correct(app: Application, args: argparse.Namespace) -> int:
    """Correct or withdraw what is believed: in the customer's own words, or by an operator with authority."""
    correction = Correction(args.attribute, args.value, args.said, args.by, args.withdraw, args.id)
    return _json(await write_correction(app.memory.committer, _subject(args), correction, now=datetime.now(UTC)))


async def forget(app: Application, args: argparse.Namespace) -> int:
    """Forget one fact, one message, or everything about a customer; prints the receipt."""
    if not (args.yes or args.fact or args.source):
        out.print("This forgets everything about the customer. Add --yes, or name one --fact or --source.")
        return 2
    host = Host(args.host, _headers(args)) if args.host else None
    receipt = await erase(
        app.memory.committer, _subject(args), fact=args.fact, source=args.source, now=datetime.now(UTC), host=host
    )
    if args.fact and not any(receipt["reached"].values()):
        out.print(Text(f"nothing to forget: no message of {args.customer} claims {args.fact}"))
        if receipt["also_mentioned_in"]:
            out.print(Text(f"mentioned in: {', '.join(map(str, receipt['also_mentioned_in']))}"))
        return 1
    return _json(receipt)


async def conflicts(app: Application, args: argparse.Namespace) -> int:
    """Open conflicts of all customers, oldest first, with all sides and their quotes."""
    async with app.memory.database.connection() as connection:
        page = await review.conflicts(
            connection, app.memory.schema, now=datetime.now(UTC), tenant=args.tenant, after=args.after, most=args.most
        )
    if args.json:
        return _json(page)
    table = Table("tenant", "customer", "fact", "revision", "value", "who said it", title="in conflict")
    for c in page["conflicts"]:
        for side in c["sides"]:
            said = _quotes(side["statements"])
            _add(table, c["tenant"], c["user"], c["slot"], c["revision"], side["value"], said)
    out.print(table)
    if page["next"]:
        out.print(Text(f"there are more: --after '{page['next']}'"))
    return 0


async def settle(app: Application, args: argparse.Namespace) -> int:
    """Settle a conflict: for one of its sides, for a value nobody stated, or for none of them."""
    settlement = Settlement(args.fact, args.value, args.by, args.note, args.revision, args.id)
    return _json(await review.settle(app.memory.committer, _subject(args), settlement, now=datetime.now(UTC)))


def add_commands(command: Any) -> None:
    """Declares them; `command(name, run, customer=…)` gives a parser, as cli.py has it."""
    command("know", tell, customer=True).add_argument("--json", action="store_true")
    command("export", export, customer=True)

    p = command("correct", correct, customer=True)
    p.add_argument("--attribute", required=True)
    p.add_argument("--value", help="what holds instead")
    p.add_argument("--withdraw", action="store_true", help="it no longer holds (--value: which one, of many)")
    p.add_argument("--said", metavar="WORDS", help="the customer's own words; without them the command is their word")
    p.add_argument(
        "--by", metavar="DESK:NAME", help="an operator: speaks with their own authority, or took down --said"
    )
    p.add_argument("--id", metavar="MESSAGE", help="the same id again changes nothing")

    p = command("forget", forget, customer=True)
    what = p.add_mutually_exclusive_group()
    what.add_argument("--fact", metavar="SLOT", help="delivery_window, or allergy=peanuts; allergy: all of them")
    what.add_argument("--source", metavar="MESSAGE", help="the id of a message, as know and export show it")
    p.add_argument("--yes", action="store_true", help="forget everything, where neither is named")
    p.add_argument("--host", metavar="URL", help="a LangGraph server that has conversations of this customer")
    p.add_argument(
        "--header",
        action="append",
        default=[],
        type=arguments.header,
        metavar="NAME:VALUE",
        help="what the host asks for",
    )

    p = command("conflicts", conflicts)
    p.add_argument("--tenant", type=arguments.name, help="of this tenant only")
    p.add_argument("--most", type=arguments.how_many, default=20, help="conflicts on a page")
    p.add_argument("--after", metavar="KEY", help="the next page, as the one before ends")
    p.add_argument("--json", action="store_true")

    p = command("settle", settle, customer=True)
    p.add_argument("--fact", required=True, metavar="SLOT")
    value = p.add_mutually_exclusive_group(required=True)
    value.add_argument("--value", help="the side that is right, or a value nobody stated")
    value.add_argument("--none", action="store_true", help="none of the sides is right")
    p.add_argument("--by", required=True, metavar="DESK:NAME", help="who decides")
    p.add_argument("--note", default="", help="why")
    p.add_argument("--revision", type=int, help="refuse if the conflict is not as it was listed")
    p.add_argument("--id", metavar="SETTLEMENT", help="the same id again changes nothing")


def _subject(args: argparse.Namespace) -> Subject:
    return Subject(args.tenant, args.customer)


def _headers(args: argparse.Namespace) -> dict[str, str]:
    """The customer's identity as `langgraph dev` takes it (graph/auth.py), unless headers are given."""
    return dict(args.header) or {"x-customer-id": args.customer, "x-tenant-id": args.tenant}


def _json(value: Any) -> int:
    json.dump(value, sys.stdout, default=str, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
    return 0


def _add(table: Table, *cells: object) -> None:
    """A row of plain text: what customers say may look like markup."""
    table.add_row(*(Text(str(cell)) for cell in cells))


def _lines(head: str, text: str) -> None:
    """A part of a fact, as narrow as the terminal may be."""
    for at, line in enumerate(text.splitlines()):
        out.print(Padding(Text(f"{'' if at else head:<9}{line}"), (0, 0, 0, 2)))


def _quotes(said: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"“{q['quote']}” ({q['origin']}, {q['said_at'][:16]})" for q in said)


def _history(decisions: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for d in decisions:
        why = f" ({d['reason'].replace('_', ' ')})" if d["reason"] else ""
        lines.append(f"{d['at'][:16]} {d['decision']}{why}: {d['before'] or '-'} → {d['after'] or '-'}")
    return "\n".join(lines)
