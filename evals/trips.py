"""Counting the round trips between a client and PostgreSQL: a proxy that lets every byte wait on its way.

What a client sends without having heard anything in between travels together: that is one trip, however many packets
it takes. The delay makes it so: all that a client sends eagerly is under way before the first answer can be there.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from psycopg import conninfo

DELAY = 0.05  # seconds each way; a busy machine may keep a client from sending for twice as long


@dataclass(slots=True)
class Trips:
    """`uri` leads through the proxy; `count` is what has been counted on all of its connections."""

    uri: str
    count: int = 0


class _Line:
    """One connection, both ways."""

    def __init__(self, trips: Trips, delay: float) -> None:
        self.trips = trips
        self.delay = delay
        self.heard = True  # before its first word a client has nothing to wait for

    async def ask(self, client: asyncio.StreamReader, server: asyncio.StreamWriter) -> None:
        while data := await client.read(65536):
            self.trips.count += self.heard
            self.heard = False
            self._later(server, data)
        self._later(server, b"")

    async def answer(self, server: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while data := await server.read(65536):
            self._later(client, data, heard=True)
        self._later(client, b"")

    def _later(self, writer: asyncio.StreamWriter, data: bytes, *, heard: bool = False) -> None:
        def arrive() -> None:
            self.heard = self.heard or heard
            if data:
                writer.write(data)
            else:
                writer.close()

        asyncio.get_running_loop().call_later(self.delay, arrive)


@asynccontextmanager
async def counting(uri: str, delay: float = DELAY) -> AsyncIterator[Trips]:
    """The same database behind a proxy that counts."""
    info = conninfo.conninfo_to_dict(uri)
    trips = Trips(uri)

    async def serve(client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        server, onward = await asyncio.open_connection(str(info.get("host") or "localhost"), info.get("port") or 5432)
        line = _Line(trips, delay)
        await asyncio.gather(line.ask(client, onward), line.answer(server, back))

    async with asyncio.TaskGroup() as connections:
        proxy = await asyncio.start_server(
            lambda client, back: connections.create_task(serve(client, back)) and None, "127.0.0.1", 0
        )
        port = proxy.sockets[0].getsockname()[1]
        plain = {"sslmode": "disable", "gssencmode": "disable", "hostaddr": None}
        trips.uri = conninfo.make_conninfo(uri, host="127.0.0.1", port=port, **plain)
        yield trips
        proxy.close()
