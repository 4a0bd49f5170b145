"""doctor: what is configured, and whether database, model, prompts and domain.py are sound."""

import argparse
from collections.abc import Awaitable, Callable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from trusted_memory.hosts.application import Application
from trusted_memory.hosts.settings import BadSettings

out = Console()


async def _database(app: Application) -> str:
    async with app.memory.database.connection() as connection:
        row = await (
            await connection.execute("select version() as v, (select count(*) from migration) as n")
        ).fetchone()
    name, migrations = (row["v"].split(" on ")[0], row["n"]) if row else ("?", 0)
    return f"{app.database_is}; {name}; {migrations} migrations"


async def _model(app: Application) -> str:
    model = await app.conversation.chat()
    answer = await model.bind(max_tokens=16).ainvoke("Hello!")
    return f"{getattr(model, 'model', type(model).__name__)} ({app.model_is}); it answered {str(answer.text)[:40]!r}"


async def _prompts(app: Application) -> str:
    app.instructions()
    app.memory.prompts.check(summarize={"words"}, extract={"attributes"})
    return ", ".join(sorted(app.memory.prompts.texts))


async def _domain(app: Application) -> str:
    schema, names = app.memory.schema, {tool.name for tool in app.tools()}
    if unknown := set(app.memory.tool_facts) - names:
        raise ValueError(f"domain.TOOL_FACTS names tools that don't exist: {sorted(unknown)}")
    for system in app.memory.tool_facts.values():
        for attribute in system.facts.values():
            if attribute not in schema:
                raise ValueError(f"domain.TOOL_FACTS names an unknown attribute: {attribute!r}")
            if schema[attribute].rank("tool", system.origin) is None:
                raise ValueError(
                    f"{system.origin!r} has no authority over {attribute!r}: its results would be rejected"
                )
    return f"{len(schema)} attributes, {len(names)} tools"


async def _budget(app: Application) -> str:
    budget, fixed = app.conversation.budget, app.conversation.check(app.instructions(), app.tools())
    return f"{budget.total:,} tokens; instructions and tools take {fixed:,} of {budget.instructions:,}"


async def doctor(app: Application, args: argparse.Namespace) -> int:
    """Check the set-up: database, model, prompts, domain and budget. Exit 1 if something is wrong."""
    checks: dict[str, Callable[[Application], Awaitable[str]]] = {
        "prompts": _prompts, "domain": _domain, "budget": _budget, "database": _database, "model": _model,
    }  # fmt: skip
    table, broken = _table(), 0
    for name, check in checks.items():
        try:
            table.add_row(name, "[green]ok", Text(await check(app)))
        except Exception as error:  # noqa: BLE001  # whatever is wrong is the finding
            broken += 1
            table.add_row(name, "[red]wrong", Text(f"{type(error).__name__}: {error}"))
    out.print(table)
    return 1 if broken else 0


def misconfigured(error: BadSettings) -> int:
    """What doctor says where the settings can't be read: nothing else can be checked without them."""
    table = _table()
    table.add_row("settings", "[red]wrong", Text(str(error)))
    out.print(table)
    return 1


def _table() -> Table:
    return Table("check", "", "finding")
