"""The database: one pool of connections for each event loop, opened at first use."""

import asyncio
import select
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from trusted_memory.storage.ids import subject_id

__all__ = [
    "Connection",
    "Database",
    "DatabaseUnreachable",
    "Pool",
    "connection_options",
    "retrying",
    "subject_id",
    "transaction",
]

SCHEMA = "memory"
SILENCE = 5.0  # seconds that a connection may lie unused before the server is asked whether it is still there
PATIENCE = 10.0  # seconds to wait for a connection: long enough for a busy pool, short enough for a customer
Connection = psycopg.AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]

# Named, so that a constraint violation is never tried again: it is an answer, not an accident.
TRANSIENT = (
    psycopg.errors.LockNotAvailable,
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.AdminShutdown,
    psycopg.errors.CrashShutdown,
    psycopg.errors.CannotConnectNow,
    psycopg.errors.TooManyConnections,
    psycopg.errors.IdleInTransactionSessionTimeout,
)
CONNECTION_EXCEPTION = "08"  # the class of SQLSTATEs

_spoke: WeakKeyDictionary[Connection, float] = WeakKeyDictionary()


class DatabaseUnreachable(RuntimeError):
    """The database can't be reached; says where it was looked for and what to do."""


def _is_transient(error: BaseException) -> bool:
    """A named transient error, or a broken connection (an OperationalError that the server never worded)."""
    if isinstance(error, TRANSIENT):
        return True
    if not isinstance(error, psycopg.OperationalError) or isinstance(error, PoolTimeout):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(CONNECTION_EXCEPTION)


def retrying(attempts: int = 5) -> AsyncRetrying:
    """Retries transient database faults, with jitter; anything else surfaces with its cause."""
    return AsyncRetrying(
        retry=retry_if_exception(_is_transient),
        wait=wait_random_exponential(multiplier=0.05, max=2),
        stop=stop_after_attempt(attempts),
        reraise=True,
    )


async def _check(connection: Connection) -> None:
    """A connection that the server dropped is replaced before anybody uses it.

    The server's good-bye can be read from the socket, which costs nothing; only after a while of silence, in which the
    network may have swallowed it, is the server asked.
    """
    now, poll = time.monotonic(), select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0) or now - _spoke.get(connection, 0) > SILENCE:
        await AsyncConnectionPool.check_connection(connection)
    _spoke[connection] = now


class Database:
    """Connections to the product's schema. Opening is lazy, and separate for each event loop (hosts run several)."""

    def __init__(
        self,
        uri: str | Callable[[], str],
        *,
        max_size: int = 10,
        prepare: Callable[[str], Awaitable[object]] | None = None,
    ) -> None:
        """`uri` may be a function that finds it (and may block, as starting a server does); `prepare` migrates."""
        self._uri = uri
        self._prepare = prepare
        self.max_size = max_size
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, Pool] = WeakKeyDictionary()
        self._opening = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]()

    async def pool(self) -> Pool:
        """The open pool of this event loop, in the form LangGraph's saver and store ask for too."""
        loop = asyncio.get_running_loop()
        async with self._opening.setdefault(loop, asyncio.Lock()):
            if loop not in self._pools:
                self._pools[loop] = await self._open()
            return self._pools[loop]

    async def uri(self) -> str:
        """Where the database is; starts the embedded one at the first call."""
        if not isinstance(self._uri, str):
            self._uri = await asyncio.to_thread(self._uri)
        return self._uri

    async def _open(self) -> Pool:
        uri = await self.uri()
        if self._prepare:
            await self._prepare(uri)
            self._prepare = None
        pool: Pool = AsyncConnectionPool(
            uri,
            min_size=1,
            max_size=self.max_size,
            kwargs=connection_options(),
            check=_check,
            timeout=PATIENCE,  # LangGraph's saver and store take connections from it as well
            # Attempts are spaced twice as far each time: after five minutes without a database it would take minutes
            # more to notice that it is back. Having given up, the pool tries anew whenever somebody asks.
            reconnect_timeout=5,
            open=False,
        )
        try:
            await pool.open(wait=True, timeout=5)
        except (PoolTimeout, psycopg.Error) as error:
            await pool.close()
            raise DatabaseUnreachable(unreachable(uri)) from error
        return pool

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection of the pool."""
        pool = await self.pool()
        try:
            connection = await pool.getconn(timeout=PATIENCE)
        except PoolTimeout as error:
            raise DatabaseUnreachable(
                f"{unreachable(await self.uri())} Or else all {self.max_size} connections are busy: see APP_POOL_SIZE."
            ) from error
        try:
            async with connection:
                yield connection
        finally:
            await pool.putconn(connection)

    async def close(self) -> None:
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close()


@asynccontextmanager
async def transaction(connection: Connection) -> AsyncIterator[None]:
    """One transaction in one pipeline: BEGIN travels with the first statements and COMMIT with the last ones.

    psycopg's `transaction()` in a pipeline waits for each of them and for the pipeline's end: four more round trips.
    After a failure the connection's own context (`Database.connection`) rolls back.
    """
    async with connection.pipeline():
        await connection.execute("begin")
        yield
        done = await connection.execute("commit")
    if done.statusmessage != "COMMIT":  # an error that somebody swallowed: PostgreSQL rolls back without another one
        raise psycopg.errors.InFailedSqlTransaction("a statement of this transaction had failed: nothing was stored")


def connection_options() -> dict[str, Any]:
    # Whatever a role or database defaults to: a stricter isolation would not see what was committed while it waited.
    options = f"-c search_path={SCHEMA} -c timezone=UTC -c default_transaction_isolation=read\\ committed"
    return {"autocommit": True, "row_factory": dict_row, "options": options}


def unreachable(uri: str) -> str:
    info = psycopg.conninfo.conninfo_to_dict(uri)
    where = f"{info.get('host', 'localhost')}:{info.get('port', 5432)}, database {info.get('dbname')!r}"
    return (
        f"Can't reach PostgreSQL at {where}. Is it running, and are the credentials right? "
        "Set APP_DATABASE_URI to one that is, or unset it to use the embedded server."
    )
