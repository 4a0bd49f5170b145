"""One of several processes that correct the same fact: `python correcting.py URI NUMBER TIMES`."""

import asyncio
import sys
from datetime import UTC, datetime, timedelta

from support.database import SCHEMA
from trusted_memory.facts.batch import Reading
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.pool import Database

START = datetime(2027, 1, 1, tzinfo=UTC)


async def correct(uri: str, number: int, times: int) -> None:
    """Message n of this process is said a little after message n of the one before it."""
    database, subject, key = Database(uri, max_size=2), Subject("shop", "ana"), b"a key of the tests"
    committer = Committer(database, SCHEMA, lambda: key, lock_timeout=60)
    for n in range(times):
        value = f"{number:02}-{n:03}"
        at = START + timedelta(seconds=n, milliseconds=number)
        message = transcript.Message(f"m{value}", "t", "user", "customer", at, value)
        async with database.connection() as connection:
            await transcript.record(connection, subject, [message], key)
        reading = Reading(message.source, (Claim("window", value, value, "correct"),))
        await committer.commit(subject, [reading], extractor="x1", now=START + timedelta(days=1))
    await database.close()


if __name__ == "__main__":
    asyncio.run(correct(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
