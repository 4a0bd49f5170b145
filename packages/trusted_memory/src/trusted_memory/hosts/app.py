"""The `http.app` of LangGraph hosts: its lifespan runs the background worker, its route tells whether all is well."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from trusted_memory.hosts.application import Application
from trusted_memory.hosts.worker import keep_working


def http_app(application: Callable[[], Application]) -> Starlette:
    """The routes and the worker of the application that `application` gives; asked for when the host starts."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(keep_working(application()))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await application().closed()

    async def health(request: Request) -> JSONResponse:
        """Whether the database answers."""
        async with application().memory.database.connection() as connection:
            await connection.execute("select 1")
        return JSONResponse({"database": "ok", "model": application().model_is})

    return Starlette(routes=[Route("/memory/health", health)], lifespan=lifespan)
