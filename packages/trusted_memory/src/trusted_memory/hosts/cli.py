"""The command line: `python -m graph …`. Each command is one customer's, or the whole deployment's."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import psycopg
from rich.console import Console
from rich.table import Table
from rich.text import Text

from trusted_memory.facts.words import Subject
from trusted_memory.hosts import arguments
from trusted_memory.hosts.application import Application
from trusted_memory.hosts.chat import chat
from trusted_memory.hosts.doctor import doctor, misconfigured
from trusted_memory.hosts.rights import add_commands as add_rights
from trusted_memory.hosts.settings import BadSettings
from trusted_memory.hosts.worker import worker
from trusted_memory.models.errors import ModelError
from trusted_memory.storage import jobs, rebuild
from trusted_memory.storage.recall import as_of, ledger, recall

out = Console()
PROGRAM = "python -m graph"


def _add(table: Table, *cells: object) -> None:
    """A row of plain text: what customers say may look like markup."""
    table.add_row(*(Text(str(cell or "")) for cell in cells))


def _show(table: Table, otherwise: str) -> int:
    """The table, or these words where it has no rows."""
    out.print(table if table.row_count else Text(otherwise))
    return 0


async def facts(app: Application, args: argparse.Namespace) -> int:
    """What is believed about a customer, with the words it rests on; now or as of a moment."""
    subject = Subject(args.tenant, args.customer)
    table = Table("slot", "value", "support", "said", title=Text(f"{subject.user} · {args.as_of or 'now'}"))
    async with app.memory.database.connection() as connection:
        if args.as_of:
            for slot, r in (await as_of(connection, subject, app.memory.schema, args.as_of)).items():
                shown = r.value or (" / ".join(r.values) or r.status)
                _add(table, slot, shown, r.support, "\n".join(f"“{s.quote}”" for s in r.standing))
        else:
            held = await recall(connection, subject, app.memory.schema, datetime.now(UTC))
            for slot, fact in held.facts.items():
                said = "\n".join(f"“{q['quote']}” ({q['origin']}, {q['said_at'][:16]})" for q in fact["quotes"])
                _add(table, slot, fact["value"], fact["support"], said)
            for slot, r in held.conflicts.items():
                _add(table, slot, " / ".join(r.values), "in conflict", "\n".join(f"“{s.quote}”" for s in r.standing))
    return _show(table, f"nothing {'was' if args.as_of else 'is'} known of {args.customer}")


async def show_ledger(app: Application, args: argparse.Namespace) -> int:
    """Every decision about a customer, rejections included, newest last."""
    table = Table("when", "slot", "outcome", "before", "after", "quote", title=Text(f"{args.customer} · ledger"))
    async with app.memory.database.connection() as connection:
        rows = await ledger(connection, Subject(args.tenant, args.customer), most=args.most)
    for row in reversed(rows):
        outcome = row["outcome"] + (f": {row['reason']}" if row["reason"] else "")
        before, after = (
            (r or {}).get("value") or " / ".join((r or {}).get("values", [])) for r in (row["before"], row["after"])
        )
        said = row["statement"].get("quote", "")
        when = f"{row['decided_at']:%Y-%m-%d %H:%M:%S}"
        _add(table, when, row["slot"] or row["attribute"], outcome, before, after, said)
    return _show(table, f"nothing is known of {args.customer}")


async def migrations(app: Application, args: argparse.Namespace) -> int:
    """Bring the database up to date."""
    applied = await app.migrate(await app.memory.database.uri())
    out.print(f"applied: {', '.join(applied)}" if applied else "the database is up to date")
    return 0


async def run_worker(app: Application, args: argparse.Namespace) -> int:
    """Read messages in the background, until stopped; with --once, until nothing is left."""
    try:
        if not args.once:
            await worker(app)
            return 0
        before = await _unread(app)
        await worker(app, wait=False)
        left = await _unread(app)
        out.print(
            f"{max(before - left, 0)} messages read; {left} not read yet" if before or left else "nothing to read"
        )
    except asyncio.CancelledError:  # SIGTERM or Ctrl-C: what was being read has been finished
        out.print("the worker has stopped; nothing is left half-read")
    return 0


async def _unread(app: Application) -> int:
    async with app.memory.database.connection() as connection:
        return int((await jobs.lag(connection))["unread"])


async def show_jobs(app: Application, args: argparse.Namespace) -> int:
    """Background reading: lag from said to stored, what waits, and failed jobs with their reasons."""
    async with app.memory.database.connection() as connection:
        if args.retry:
            out.print(f"{await jobs.retry_failed(connection)} failed jobs are tried again")
        now, gone_wrong = await jobs.lag(connection), await jobs.failed(connection)
    out.print_json(data=now)
    table = Table("failed at", "customer", "tries", "reason", title="failed jobs")
    for row in gone_wrong:
        _add(table, f"{row['failed_at']:%Y-%m-%d %H:%M:%S}", row["subject"], row["attempts"], row["problem"])
    out.print(table)
    return 0


async def rebuild_records(app: Application, args: argparse.Namespace) -> int:
    """Make the records anew from the statements alone; on a healthy database nothing changes."""
    changed = await rebuild.rebuild(app.memory.database, app.memory.schema, now=datetime.now(UTC))
    out.print(f"{changed} records changed")
    return 0


async def recanonicalize(app: Application, args: argparse.Namespace) -> int:
    """Move all statements to the schema in domain.py and rebuild; names what can't be read under it."""
    changed, unreadable = await rebuild.recanonicalize(
        app.memory.database, app.memory.schema, dict(args.rename), now=datetime.now(UTC)
    )
    for problem in unreadable:
        out.print(Text(f"can't be read: {problem}"))
    out.print(f"{changed} statements changed")
    return 1 if unreadable else 0


async def check(app: Application, args: argparse.Namespace) -> int:
    """Verify the invariants over the whole database; exit 1 with a line for each violation."""
    problems = await rebuild.check(app.memory.database, app.memory.schema, now=datetime.now(UTC))
    for problem in problems:
        out.print(f"[red]{problem}")
    out.print("[green]sound" if not problems else f"[red]{len(problems)} violations")
    return 1 if problems else 0


Command = Callable[[Application, argparse.Namespace], Awaitable[int]]


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog=PROGRAM, description=__doc__)
    commands = top.add_subparsers(required=True, metavar="command")

    def command(name: str, run: Command, *, customer: bool = False) -> argparse.ArgumentParser:
        p = commands.add_parser(name, help=(run.__doc__ or "").partition("\n")[0])
        p.set_defaults(run=run)
        if customer:
            p.add_argument("--customer", required=True, type=arguments.name, help="whose memory; there is no default")
            p.add_argument("--tenant", type=arguments.name, default="demo")
        return p

    spoken = command("chat", chat, customer=True)
    spoken.add_argument("--thread", help="continue this conversation; a new one without it")
    spoken.add_argument("--explain", action="store_true", help="show what each request held")
    command("facts", facts, customer=True).add_argument(
        "--as-of", type=arguments.moment, metavar="TIME", help="a date or time; UTC unless it has an offset"
    )
    command("ledger", show_ledger, customer=True).add_argument(
        "--most", type=arguments.how_many, default=50, help="decisions shown, the newest"
    )
    add_rights(command)
    command("migrate", migrations)
    command("worker", run_worker).add_argument("--once", action="store_true", help="end when nothing is left to read")
    command("jobs", show_jobs).add_argument("--retry", action="store_true", help="try failed jobs again")
    command("rebuild", rebuild_records)
    moved = command("recanonicalize", recanonicalize)
    moved.add_argument(
        "--rename",
        action="append",
        default=[],
        type=arguments.renaming,
        metavar="OLD=NEW",
        help="an attribute's new name",
    )
    command("check", check)
    command("doctor", doctor)
    return top


def main(make: Callable[[], Application], argv: list[str] | None = None) -> int:
    """Run one command on the application that `make` gives; `make` may raise BadSettings. Returns the exit code."""
    args = parser().parse_args(argv)

    async def run() -> int:
        task = asyncio.current_task()
        with suppress(NotImplementedError):  # Windows has no such signal
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel if task else sys.exit)
        try:
            app = make()
        except BadSettings as error:
            if args.run is not doctor:
                raise
            return misconfigured(error)
        try:
            code: Any = await args.run(app, args)
            return int(code)
        finally:
            await app.closed()

    try:
        return asyncio.run(run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 130
    except (RuntimeError, ValueError, LookupError, PermissionError, ModelError, psycopg.Error) as error:
        Console(stderr=True).print(str(error), style="red", markup=False)
        return 1
