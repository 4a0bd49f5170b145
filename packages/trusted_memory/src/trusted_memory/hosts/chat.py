"""The assistant in the terminal: streams the answer, then shows what memory did with the turn."""

import argparse
import asyncio
import threading
import uuid
from contextlib import suppress
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from rich.console import Console

from trusted_memory.facts.words import Subject
from trusted_memory.hosts.application import Application

out = Console(highlight=False)


async def chat(app: Application, args: argparse.Namespace) -> int:
    """Talk to the assistant."""
    thread = args.thread or str(uuid.uuid4())
    subject = Subject(args.tenant, args.customer)
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    out.print(f"[dim]customer {subject.user} · conversation {thread} · an empty line ends it[/dim]")
    if app.notice:
        out.print(f"[yellow]{app.notice}[/yellow]")
    async with app.opened() as assistant:
        while text := await _ask():
            sent, report = {"messages": [{"role": "user", "content": text}]}, dict[str, Any]()
            try:
                async for mode, part in assistant.astream(
                    sent, config, context=app.caller(subject), stream_mode=["messages", "custom"]
                ):
                    if mode == "messages" and isinstance(part[0], AIMessage):
                        out.print(part[0].text, end="", markup=False)
                    elif mode == "custom" and isinstance(part, dict):
                        report |= part
            except Exception as error:  # noqa: BLE001 - what was said is kept; the conversation goes on with the next turn
                out.print(f"\n{type(error).__name__}: {error}", style="red", markup=False)
                continue
            out.print()
            show(report.get("report", {}), explain=args.explain)
    return 0


async def _ask() -> str:
    """What is typed; empty at the end. In a thread that nobody waits for, so that Ctrl-C ends it at once."""
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()

    def read() -> None:
        try:
            text = input("you> ").strip()
        except EOFError:
            text = ""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(hear, text)

    def hear(text: str) -> None:
        if not typed.done():
            typed.set_result(text)

    threading.Thread(target=read, daemon=True).start()
    return await typed


def show(report: dict[str, Any], *, explain: bool) -> None:
    """One line a decision; what waits for the background; what went wrong."""
    for note in report.get("written", []):
        reason = f" ({note['reason']})" if note["reason"] else ""
        change = f"{note['before']} → {note['after']}" if note["before"] else str(note["after"] or note["value"])
        line = f"  memory: {note['outcome']}{reason} {note['attribute']}: {change}  “{note['quote']}”"
        out.print(line, style="cyan", markup=False)  # a customer's words may look like markup
    if report.get("pending"):
        out.print("  memory: read in the background", style="dim")
    if report.get("problem"):
        out.print(f"  {report['problem']}", style="red", markup=False)
    if explain:
        out.print(report.get("context", {}))
