"""The `http.app` of LangGraph hosts: its lifespan runs the background worker, its route tells whether all is well."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from graph.background import keep_working
from graph.deps import deps


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    task = asyncio.create_task(keep_working(deps()))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await deps().database.close()
        await asyncio.to_thread(deps().close)


async def health(request: Request) -> JSONResponse:
    """Whether the database answers."""
    async with deps().database.connection() as connection:
        await connection.execute("select 1")
    return JSONResponse({"database": "ok", "model": "offline demo" if deps().settings.offline_model else "configured"})


app = Starlette(routes=[Route("/memory/health", health)], lifespan=lifespan)
