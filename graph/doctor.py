"""doctor: what is configured, and whether database, model, prompts and domain.py are sound."""

import argparse
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from graph.deps import Deps
from graph.domain import TOOL_FACTS
from graph.nodes.request import check_fixed
from graph.settings import BadSettings

out = Console()


async def _database(deps: Deps) -> str:
    where = "configured" if deps.settings.database_uri else f"embedded, data in {deps.settings.data_dir}"
    async with deps.database.connection() as connection:
        row = await (
            await connection.execute("select version() as v, (select count(*) from migration) as n")
        ).fetchone()
    name, migrations = (row["v"].split(" on ")[0], row["n"]) if row else ("?", 0)
    return f"{where}; {name}; {migrations} migrations"


async def _model(deps: Deps) -> str:
    models = await deps.models()
    answer = await models.chat.bind(max_tokens=16).ainvoke("Hello!")
    which = "the offline demo model: it proves the plumbing only" if deps.settings.offline_model else "configured"
    return f"{models.chat.model} ({which}); it answered {str(answer.text)[:40]!r}"


async def _prompts(deps: Deps) -> str:
    deps.check_prompts()
    return ", ".join(sorted(deps.prompts.texts))


async def _domain(deps: Deps) -> str:
    names = {tool.name for tool in deps.tools}
    if unknown := set(TOOL_FACTS) - names:
        raise ValueError(f"domain.TOOL_FACTS names tools that don't exist: {sorted(unknown)}")
    for system in TOOL_FACTS.values():
        for attribute in system.facts.values():
            if attribute not in deps.schema:
                raise ValueError(f"domain.TOOL_FACTS names an unknown attribute: {attribute!r}")
            if deps.schema[attribute].rank("tool", system.origin) is None:
                raise ValueError(
                    f"{system.origin!r} has no authority over {attribute!r}: its results would be rejected"
                )
    return f"{len(deps.schema)} attributes, {len(names)} tools"


async def _budget(deps: Deps) -> str:
    fixed = check_fixed(
        deps.instructions(None, datetime.now(UTC)), [*deps.tools, *deps.lookups], deps.budget, deps.count
    )
    return f"{deps.budget.total:,} tokens; instructions and tools take {fixed:,} of {deps.budget.instructions:,}"


async def doctor(deps: Deps, args: argparse.Namespace) -> int:
    """Check the set-up: database, model, prompts, domain and budget. Exit 1 if something is wrong."""
    checks: dict[str, Callable[[Deps], Awaitable[str]]] = {
        "prompts": _prompts, "domain": _domain, "budget": _budget, "database": _database, "model": _model,
    }  # fmt: skip
    table, broken = _table(), 0
    for name, check in checks.items():
        try:
            table.add_row(name, "[green]ok", Text(await check(deps)))
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
