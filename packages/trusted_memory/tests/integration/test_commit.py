"""The commit: one transaction a batch, idempotent by statement, and whole or not there, whatever happens meanwhile."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from support import correcting
from support.database import SCHEMA
from trusted_memory.facts.batch import Outcome, Reading, UnknownSource
from trusted_memory.facts.trim import MOST
from trusted_memory.facts.words import Claim, Reject, SourceKind, Subject
from trusted_memory.storage import commit as committing
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.pool import Connection, Database, subject_id, transaction
from trusted_memory.storage.rebuild import check, rebuild
from trusted_memory.storage.recall import as_of, recall

NOW = datetime(2027, 1, 1, tzinfo=UTC)
KEY = b"a key of the tests"


@dataclass
class Customer:
    """One customer, as the tests talk to and look at him."""

    committer: Committer
    subject: Subject

    async def said(self, source: str, text: str, minute: float, kind: SourceKind = "user", **more: Any) -> None:
        origin = more.pop("origin", "customer" if kind == "user" else kind)
        at = NOW + timedelta(minutes=minute)
        async with self.committer.database.connection() as connection:
            message = transcript.Message(source, "thread", kind, origin, at, text, **more)
            await transcript.record(connection, self.subject, [message], KEY)

    async def reads(self, source: str, *claims: Claim, extractor: str = "x1") -> list[str]:
        """What was decided, by name."""
        now = NOW + timedelta(days=1)
        outcomes = await self.committer.commit(self.subject, [Reading(source, claims)], extractor=extractor, now=now)
        return [name(o) for o in outcomes]

    async def tells(self, source: str, value: str, minute: float, intent: Any = "state", **more: Any) -> list[str]:
        """Says something about the delivery window, which is read at once."""
        await self.said(source, f"{value} please", minute, **more)
        return await self.reads(source, Claim("window", value, value, intent))

    async def facts(self) -> dict[str, tuple[str, int]]:
        async with self.committer.database.connection() as connection:
            held = await recall(connection, self.subject, SCHEMA, NOW + timedelta(days=1))
        return {slot: (fact["value"], fact["support"]) for slot, fact in held.facts.items()}

    async def count(self, table: str, where: str = "true") -> int:
        async with self.committer.database.connection() as connection:
            query = f"select count(*) as n from {table} where {where}"  # noqa: S608 - both are literals of this file
            rows = await (await connection.execute(query)).fetchall()
        return int(rows[0]["n"])

    async def sound(self) -> bool:
        return await check(self.committer.database, SCHEMA, now=NOW + timedelta(days=1)) == []


def name(outcome: Outcome) -> str:
    decision = outcome.decision
    return f"reject:{decision.reason}" if isinstance(decision, Reject) else type(decision).__name__.lower()


@pytest.fixture
def ana(committer: Committer, subject: Subject) -> Customer:
    return Customer(committer, subject)


async def test_what_is_decided_is_stored_once(ana: Customer) -> None:
    """F4: three redeliveries leave one statement and a support of one; each is a row of the ledger all the same."""
    assert await ana.tells("m1", "evening", 1) == ["insert"]
    for _ in range(3):
        assert await ana.tells("m1", "evening", 1) == ["noop"]
    assert await ana.facts() == {"window": ("evening", 1)}
    assert (await ana.count("statement"), await ana.count("ledger")) == (1, 4)
    assert await ana.sound()


async def test_who_said_it_and_when_comes_from_the_transcript(ana: Customer) -> None:
    """F3, F10: what an assistant said is no fact, an unknown message is refused, and time is the message's own."""
    await ana.said("a1", "evening it is", 1, kind="assistant")
    assert await ana.reads("a1", Claim("window", "evening", "evening")) == ["reject:not_accepted"]
    with pytest.raises(UnknownSource, match="record it before"):
        await ana.reads("m7", Claim("window", "evening", "evening"))
    assert await ana.tells("m2", "noon", 9) == ["insert"]
    assert await ana.tells("m1", "morning", 3) == ["reject:stale"]
    assert await ana.facts() == {"window": ("noon", 1)}
    assert await ana.count("ledger") == 3


async def test_an_acceptance_needs_a_proposal(ana: Customer) -> None:
    """F10: accepting counts only if the assistant really said something; both messages are its source."""
    await ana.said("m1", "yes", 2)
    yes = Claim("window", "evening", "yes", accepts="a1")
    assert await ana.reads("m1", yes) == ["reject:not_accepted"]
    await ana.said("a1", "evening?", 1, kind="assistant")
    assert await ana.reads("m1", yes, extractor="x2") == ["insert"]
    await ana.said("m2", "yes", 4)
    assert await ana.reads("m2", Claim("window", "noon", "yes", accepts="m1")) == ["reject:not_accepted"]
    await ana.committer.erase(ana.subject, "a1", now=NOW)
    assert await ana.facts() == {}


async def test_another_extractor_replaces_what_the_first_one_read(ana: Customer) -> None:
    """A new version's reading of a message takes the place of the old one's, also where it reads nothing any more."""
    await ana.said("m1", "evening, and no nuts", 1)
    claims = Claim("window", "evening", "evening"), Claim("allergy", "nuts", "nuts")
    assert await ana.reads("m1", *claims) == ["insert", "insert"]
    assert await ana.reads("m1", Claim("window", "evening", "evening"), extractor="x2") == ["noop", "retract"]
    assert await ana.facts() == {"window": ("evening", 1)}
    assert await ana.reads("m1", *claims, extractor="x2") == ["noop", "noop"]
    assert await ana.facts() == {"window": ("evening", 1)}
    assert await ana.reads("m1", extractor="x3") == ["retract"]
    assert await ana.facts() == {}
    assert await ana.count("statement", "ended_at is null") == 0
    assert await ana.sound()


async def test_an_earlier_delivery_moves_what_was_said(ana: Customer) -> None:
    """F2: of two deliveries the earliest time counts, and the message is read again with it."""
    await ana.tells("m1", "evening", 9)
    await ana.tells("m2", "morning", 5)
    assert await ana.facts() == {"window": ("evening", 1)}
    assert await ana.tells("m1", "evening", 1) == ["replace"]
    assert await ana.facts() == {"window": ("morning", 1)}
    assert await ana.sound()


async def test_a_failure_stores_nothing(ana: Customer, database: Database) -> None:
    """F7: an error anywhere in the transaction surfaces as it is, at once, and leaves the message unread."""
    await ana.said("m1", "evening, and no nuts", 1)
    async with database.connection() as connection:
        await connection.execute(
            "create function fail() returns trigger language plpgsql as $$ begin raise 'no audit today'; end $$"
        )
        await connection.execute("create trigger fail before insert on ledger for each row execute function fail()")
    claims = Claim("window", "evening", "evening"), Claim("allergy", "nuts", "nuts")
    with pytest.raises(psycopg.errors.RaiseException, match="no audit today"):
        await ana.reads("m1", *claims)
    assert [await ana.count(table) for table in ("statement", "record", "store", "ledger")] == [0, 0, 0, 0]
    assert await ana.count("transcript", "extractor is null") == 1
    async with database.connection() as connection:
        await connection.execute("drop trigger fail on ledger")
    assert await ana.reads("m1", *claims) == ["insert", "insert"]


async def test_the_ledger_is_append_only(ana: Customer, database: Database) -> None:
    """F5: no row of the audit or of the transcript is changed or removed but by erasure."""
    await ana.tells("m1", "evening", 1)
    for change in ("update ledger set reason = null", "delete from ledger", "delete from transcript",
                   "update transcript set kind = 'tool'"):  # fmt: skip
        async with database.connection() as connection:
            with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                await connection.execute(change)


async def test_the_database_knows_the_invariants(ana: Customer, database: Database) -> None:
    """F1, F3: one record a slot, one statement an id, and no statement of an assistant, whoever writes."""
    await ana.tells("m1", "evening", 1)
    async with database.connection() as connection:
        for forbidden, error in (
            ("insert into record select * from record", psycopg.errors.UniqueViolation),
            (AGAIN, psycopg.errors.UniqueViolation),
            ("update statement set kind = 'assistant'", psycopg.errors.CheckViolation),
        ):
            with pytest.raises(error):
                await connection.execute(forbidden)


AGAIN = """
insert into statement (subject, slot, source, ordinal, kind, origin, observed_at, attribute, value, key, intent, quote)
select subject, slot, source, ordinal, kind, origin, observed_at, attribute, value, key, intent, quote from statement
"""


@pytest.mark.timeout(240)
def test_eight_processes_correct_one_fact(database_uri: str, database_server: str) -> None:
    """F1, F7: 8 times 50 corrections at once leave one record, 400 statements and 400 decisions; none is lost."""
    order = [sys.executable, correcting.__file__, database_uri]
    found = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}  # the engine tested here, whatever is installed
    running = [subprocess.Popen([*order, str(number), "50"], env=found) for number in range(8)]
    assert [process.wait(200) for process in running] == [0] * 8
    with psycopg.connect(database_uri, options="-c search_path=memory") as connection:
        count = "select (select count(*) from statement where ended_at is null), (select count(*) from ledger)"
        assert connection.execute(count).fetchone() == (400, 400)
        facts = connection.execute("select value ->> 'value', (value ->> 'support')::int from store").fetchall()
        assert facts == [("07-049", 1)]
        assert connection.execute("select count(*) from record where status = 'active'").fetchone() == (1,)
        assert connection.execute("select count(*) from statement where live").fetchone() <= (MOST,)  # type: ignore[operator]  # a count has its row
    assert asyncio.run(_check(database_uri)) == []


async def _check(uri: str) -> list[str]:
    database = Database(uri)
    found = await check(database, SCHEMA, now=NOW + timedelta(days=1))
    await database.close()
    return found


async def test_waiting_for_the_lock_ends(ana: Customer, database: Database) -> None:
    """A subject that somebody holds too long is an error that says so; one that is let go in time is none."""
    await ana.said("m1", "evening", 1)
    ana.committer.lock_timeout = 0.05
    hold = "select pg_advisory_xact_lock(hashtextextended(%s, 0))"
    async with database.connection() as other, other.transaction():
        await other.execute(hold, (subject_id(ana.subject),))
        with pytest.raises(psycopg.errors.LockNotAvailable):
            await ana.reads("m1", Claim("window", "evening", "evening"))
    assert await ana.count("statement") == 0
    async with database.connection() as other, other.transaction():
        await other.execute(hold, (subject_id(ana.subject),))
        waiting = asyncio.create_task(ana.reads("m1", Claim("window", "evening", "evening")))
        await asyncio.sleep(0.12)  # longer than one attempt
    assert await waiting == ["insert"]


Transaction = Callable[[Connection], Any]


def losing(when: str, times: int) -> Transaction:
    """A transaction whose connection breaks, `times` times: before COMMIT, or after it, so that nobody hears of it."""
    left = [times]

    @asynccontextmanager
    async def broken(connection: Connection) -> AsyncIterator[None]:
        async with transaction(connection):
            yield
            if when == "before" and left[0] > 0:
                left[0] -= 1
                raise psycopg.OperationalError("the connection is lost")
        if when == "after" and left[0] > 0:
            left[0] -= 1
            raise psycopg.OperationalError("the connection is lost")

    return broken


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_lost_connection_is_harmless(ana: Customer, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """F7: whether or not the COMMIT was heard, it happens once, and is told as what it was."""
    await ana.said("m1", "evening, and no nuts", 1)
    monkeypatch.setattr(committing, "transaction", losing(when, 2))
    claims = Claim("window", "evening", "evening"), Claim("allergy", "nuts", "nuts")
    assert await ana.reads("m1", *claims) == ["insert", "insert"]
    assert (await ana.count("statement"), await ana.count("ledger")) == (2, 2)
    monkeypatch.setattr(committing, "transaction", losing("before", 99))
    await ana.said("m2", "morning", 2)
    with pytest.raises(psycopg.OperationalError, match="lost"):
        await ana.reads("m2", Claim("window", "morning", "morning"))
    assert await ana.facts() == {"window": ("evening", 1), "allergy=nuts": ("nuts", 1)}


async def test_only_named_faults_are_tried_again(ana: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Serialization faults and deadlocks are accidents; a violated constraint is an answer, and asked for once."""
    attempts: list[int] = []

    def failing(error: type[psycopg.Error]) -> Callable[..., Awaitable[None]]:
        async def apply(*_: object) -> None:
            attempts.append(1)
            raise error("on purpose")

        return apply

    await ana.said("m1", "evening", 1)
    for error, tried in (
        (psycopg.errors.SerializationFailure, 5),
        (psycopg.errors.DeadlockDetected, 5),
        (psycopg.errors.UniqueViolation, 1),
        (psycopg.errors.CheckViolation, 1),
    ):
        attempts.clear()
        monkeypatch.setattr(committing, "apply", failing(error))
        with pytest.raises(error, match="on purpose"):
            await ana.reads("m1", Claim("window", "evening", "evening"))
        assert len(attempts) == tried


@pytest.mark.parametrize(
    "text", ["nul\x00nul", "half \ud83d pair", "a\u202eb", "\\u0000", "'; drop table ledger; --", "%s"]
)
async def test_no_text_breaks_a_commit(ana: Customer, text: str) -> None:
    """What PostgreSQL can't keep is replaced in transcript and ledger, and is no value; everything else is kept."""
    await ana.said("m1", f"{text} please", 1)
    [decided] = await ana.reads("m1", Claim("window", text, transcript.storable(text)))
    await ana.said("m2", "something", 2)
    assert await ana.reads("m2", Claim("window", text, text)) == ["reject:quote_not_found"]
    facts = await ana.facts()
    if "\ud83d" in text:
        assert (decided, facts) == ("reject:unreadable_value", {})
    else:
        assert (decided, facts) == ("insert", {"window": (text.replace("\x00", " ").replace("\u202e", ""), 1)})
    assert await ana.count("ledger") == 2
    assert await ana.sound()


async def test_values_have_a_length(ana: Customer) -> None:
    """A value that no index could hold is no value; the message stays read, and nothing waits behind it."""
    long = "x" * 5000
    await ana.said("m1", long, 1)
    assert await ana.reads("m1", Claim("window", long, long), Claim("allergy", long[:201], "x")) == [
        "reject:unreadable_value",
        "reject:unreadable_value",
    ]
    widest = "\U0001f95c" * 200
    await ana.said("m2", widest, 2)
    assert await ana.reads("m2", Claim("allergy", widest, widest)) == ["insert"]


async def test_foreseeing_writes_nothing(ana: Customer) -> None:
    """Advice is what the commit will say, and leaves no trace."""
    await ana.tells("m1", "evening", 1)
    await ana.said("m2", "noon", 2)
    now, reading = NOW + timedelta(days=1), Reading("m2", (Claim("window", "noon", "noon"),))
    before = [await ana.count(table) for table in ("statement", "record", "ledger")]
    foreseen = await ana.committer.foresee(ana.subject, [reading], extractor="x1", now=now)
    assert [await ana.count(table) for table in ("statement", "record", "ledger")] == before
    decided = await ana.committer.commit(ana.subject, [reading], extractor="x1", now=now)
    assert [name(o) for o in foreseen] == [name(o) for o in decided] == ["replace"]


async def test_only_a_reviewer_settles(ana: Customer) -> None:
    """F10: a settlement needs an operator's message; a customer's own doesn't settle anything, and it settles once."""
    for source, value in (("m1", "Ann"), ("m2", "Sue")):
        await ana.said(source, value, int(source[1]))
        await ana.reads(source, Claim("name", value, value))
    await ana.said("m3", "Sue it is", 3)
    settle = ana.committer.settle
    with pytest.raises(UnknownSource, match="only a reviewer"):
        await settle(ana.subject, "name", [("m1", 0)], None, by="m3", now=NOW)
    await ana.said("r1", "she said Sue on the phone", 4, kind="operator", origin="desk")
    for expected in ("insert", "noop"):
        [outcome] = await settle(ana.subject, "name", [("m1", 0)], None, by="r1", now=NOW + timedelta(days=1))
        assert name(outcome) == expected
    assert await ana.facts() == {"name": ("Sue", 1)}
    await ana.said("r2", "a message that nobody sent", 5, kind="operator")
    with pytest.raises(ValueError, match="not among them"):
        await settle(ana.subject, "name", [("m9", 0)], None, by="r2", now=NOW)
    assert await ana.sound()


async def test_a_long_past_costs_nothing(ana: Customer) -> None:
    """However often a fact was corrected or confirmed, an ordinary commit reads a few statements, and none is lost."""
    for n in range(60):
        await ana.tells(f"m{n}", ["morning", "evening"][n % 2] if n < 30 else "noon", n, "correct")
    assert await ana.facts() == {"window": ("noon", 30)}
    assert await ana.count("statement", "live") <= MOST
    assert await ana.count("statement") == 60
    # What was said in between arrives late: it is compared with everything.
    assert await ana.tells("late1", "noon", 20.5) == ["reject:stale"]
    assert await ana.tells("late2", "morning", 40.5) == ["reject:stale"]
    assert await ana.facts() == {"window": ("noon", 19)}
    assert await ana.tells("late3", "noon", 59.5) == ["merge"]
    await ana.committer.erase(ana.subject, "late2", now=NOW)
    assert await ana.facts() == {"window": ("noon", 31)}
    await ana.committer.erase(ana.subject, "m45", now=NOW)
    assert await ana.facts() == {"window": ("noon", 30)}
    assert await ana.tells("m99", "noon", 99) == ["merge"]
    async with ana.committer.database.connection() as connection:
        then = await as_of(connection, ana.subject, SCHEMA, NOW + timedelta(days=900))
    assert (then["window"].value, then["window"].support) == ("noon", 31)
    assert await ana.sound()


async def test_statements_alone_rebuild_everything(ana: Customer, database: Database) -> None:
    """F5: with records and facts gone, rebuilding brings back the same ones, down to revisions and quotes."""
    for n in range(40):
        await ana.tells(f"m{n}", ["morning", "noon"][n % 3 == 0], n, "correct")
    await ana.said("n1", "Ann, and no nuts", 50)
    await ana.reads("n1", Claim("name", "Ann", "Ann"), Claim("allergy", "nuts", "nuts"))
    await ana.said("n2", "Sue, nuts are fine", 51)
    await ana.reads("n2", Claim("name", "Sue", "Sue"), Claim("allergy", "nuts", "nuts", "retract"))

    async def stored() -> list[tuple[Any, ...]]:
        query = (
            "select r.slot, r.attribute, r.status, r.revision, r.changes_at, s.value"
            " from record r left join store s on s.key = r.slot order by 1"
        )
        async with database.connection() as connection:
            return [tuple(row.values()) for row in await (await connection.execute(query)).fetchall()]

    before = await stored()
    now = NOW + timedelta(days=1)
    assert await rebuild(database, SCHEMA, now=now) == 0
    assert await stored() == before
    async with database.connection() as connection, connection.transaction():
        await connection.execute("select set_config('memory.committing', 'on', true)")
        await connection.execute("delete from store")
        await connection.execute("delete from record")
    assert await rebuild(database, SCHEMA, now=now) == 3
    assert await stored() == before
    assert await ana.tells("m99", "noon", 99) == ["merge"]
    assert await ana.sound()
