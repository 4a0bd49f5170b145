"""The offline demo model: a small server that speaks a NIM's protocol, so that everything runs with no model at hand.

It proves the plumbing only. Its answers come from rules for the example retailer (patterns.py, replies.py).
"""

import argparse
import asyncio
import socket
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from trusted_memory.offline.protocol import application
from trusted_memory.offline.replies import Reply, reply

MODEL = "offline-demo"
BANNER = (
    "OFFLINE DEMO MODEL: no model is configured, so answers come from a few rules for the example shop, in English. "
    "This proves the plumbing only, not the quality of any model. For a real one set NVIDIA_BASE_URL (a NIM or any "
    "OpenAI-compatible server) or NVIDIA_API_KEY."
)


async def demo(request: dict[str, Any]) -> Reply:
    return reply(request)


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The base URL of the application, served from a thread of its own on a free port of this machine."""
    # No log_config: uvicorn's own would reconfigure the loggers of a host that runs on uvicorn, too.
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, log_level=None, lifespan="off", ws="none", interface="asgi3")
    )
    # Bound here, not by uvicorn: the port is known and answers before the thread has started.
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            server.should_exit = server.force_exit = True
            thread.join()


@contextmanager
def demo_model() -> Iterator[str]:
    """The offline demo model while the block runs; gives its base URL."""
    with serving(application(demo, (MODEL,))) as url:
        yield url


@asynccontextmanager
async def running_demo_model() -> AsyncIterator[str]:
    """`demo_model` for a running event loop, which it never blocks."""
    with ExitStack() as stack:
        url = await asyncio.to_thread(stack.enter_context, demo_model())
        try:
            yield url
        finally:
            await asyncio.to_thread(stack.close)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="The offline demo model, a NIM-compatible server.")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    with socket.create_server(("127.0.0.1", parser.parse_args().port)) as listener:
        sys.stdout.write(f"{BANNER}\nhttp://127.0.0.1:{listener.getsockname()[1]}/v1, model {MODEL}\n")
        sys.stdout.flush()
        config = uvicorn.Config(application(demo, (MODEL,)), log_level="warning", lifespan="off", ws="none")
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
