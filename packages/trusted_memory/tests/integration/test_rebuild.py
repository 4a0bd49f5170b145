"""Records are a function of the statements: they can be checked, rebuilt, and moved to another schema."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from trusted_memory.facts.batch import Reading
from trusted_memory.facts.schema import Attribute, schema
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.know import know
from trusted_memory.storage.pool import Database
from trusted_memory.storage.rebuild import check, rebuild, recanonicalize
from trusted_memory.storage.recall import as_of, recall

NOW = datetime(2027, 1, 15, 12, tzinfo=UTC)


async def told(committer: Committer, subject: Subject, said: Sequence[tuple[str, Claim]]) -> None:
    """Each claim in a message of its own, an hour after the one before."""
    for place, (text, claim) in enumerate(said):
        message = transcript.Message(f"m{place}", "t", "user", "customer", NOW - timedelta(hours=99 - place), text)
        async with committer.database.connection() as connection:
            await transcript.record(connection, subject, [message], committer.key())
        await committer.commit(subject, [Reading(message.source, (claim,))], extractor="x", now=NOW)


STORY = [
    ("in the morning", Claim("window", "morning", "in the morning")),
    ("evening, rather", Claim("window", "evening", "evening", "correct")),
    ("no nuts", Claim("allergy", "nuts", "no nuts")),
    ("no milk", Claim("allergy", "milk", "no milk")),
    ("I am gold", Claim("tier", "gold", "I am gold")),
    ("milk is fine", Claim("allergy", "milk", "milk is fine", "retract")),
]


async def test_a_sound_database_stays_as_it_is(database: Database, committer: Committer, subject: Subject) -> None:
    """F5: rebuilding from statements alone changes nothing, and the check finds nothing."""
    await told(committer, subject, STORY)
    assert await check(database, committer.schema, now=NOW) == []
    assert await rebuild(database, committer.schema, now=NOW) == 0


@pytest.mark.parametrize(
    "damage",
    [
        "delete from record where slot = 'window'",
        "update record set status = 'conflict' where slot = 'window'",
        "delete from store where key = 'window'",
        "update store set value = jsonb_set(value, '{support}', '7') where key = 'window'",
        "insert into store (prefix, key, value) select prefix, 'made up', value from store where key = 'window'",
        "insert into record select subject, 'made up', attribute, status, revision from record where slot = 'window'",
    ],
)  # fmt: skip
async def test_damage_is_found_and_mended(
    database: Database, committer: Committer, subject: Subject, damage: str
) -> None:
    """Whatever happened to records or facts, the check names it and a rebuild mends it."""
    await told(committer, subject, STORY)
    async with database.connection() as connection, connection.transaction():
        await connection.execute("select set_config('memory.committing', 'on', true)")
        await connection.execute(damage.encode())
    assert len(await check(database, committer.schema, now=NOW)) == 1
    assert await rebuild(database, committer.schema, now=NOW) == 1
    assert await check(database, committer.schema, now=NOW) == []
    async with database.connection() as connection:
        held = await recall(connection, subject, committer.schema, NOW)
    assert {slot: fact["value"] for slot, fact in held.facts.items()} == {
        "window": "evening", "allergy=nuts": "nuts", "tier": "gold",
    }  # fmt: skip


async def test_the_check_sees_what_the_audit_lacks(database: Database, committer: Committer, subject: Subject) -> None:
    """A statement without its ledger row (F5) or without its quote (F4) is a violation."""
    await told(committer, subject, STORY)
    async with database.connection() as connection, connection.transaction():
        await connection.execute("select set_config('memory.erasing', 'on', true)")
        await connection.execute("delete from ledger where source = 'm0'")
        await connection.execute("update transcript set text = 'something else' where source = 'm2'")
    found = await check(database, committer.schema, now=NOW)
    assert [problem.rpartition("(")[2] for problem in found] == ["F5)", "F4)"]


async def test_as_of(database: Database, committer: Committer, subject: Subject) -> None:
    """What was believed at a moment is what was known then, resolved at that time."""
    moments = []
    for place, (text, claim) in enumerate(STORY[:2]):
        message = transcript.Message(f"m{place}", "t", "user", "customer", datetime.now(UTC), text)
        async with database.connection() as connection:
            await transcript.record(connection, subject, [message], committer.key())
        await committer.commit(subject, [Reading(message.source, (claim,))], extractor="x", now=datetime.now(UTC))
        moments.append(datetime.now(UTC))
    async with database.connection() as connection:
        then = await as_of(connection, subject, committer.schema, moments[0])
        later = await as_of(connection, subject, committer.schema, moments[1])
        before = await as_of(connection, subject, committer.schema, moments[0] - timedelta(days=1))
    assert (then["window"].value, later["window"].value, before) == ("morning", "evening", {})


async def test_another_schema(database: Database, committer: Committer, subject: Subject) -> None:
    """A fork renames an attribute and changes a canonical form: facts move, and what can't be read is named."""
    await told(committer, subject, STORY)
    moved = schema(
        [
            Attribute("delivery_window", "", canonical=lambda value: value[:3].upper()),
            Attribute("allergy", "", many=True, canonical=lambda value: None if value == "nuts" else value.upper()),
            committer.schema["tier"],
        ]
    )
    # Rebuilding would only drop what has another name now; and whoever asks is told what is there meanwhile.
    assert any("recanonicalize --rename window=NEW" in problem for problem in await check(database, moved, now=NOW))
    async with database.connection() as connection:
        unused = (await know(connection, subject, moved, NOW))["kept_but_not_used"]
    assert [fact["slot"] for fact in unused] == ["window"]
    assert unused[0]["quotes"]
    changed, unreadable = await recanonicalize(database, moved, {"window": "delivery_window"}, now=NOW)
    assert (changed, len(unreadable)) == (4, 1)
    async with database.connection() as connection:
        held = await recall(connection, subject, moved, NOW)
    assert {slot: fact["value"] for slot, fact in held.facts.items()} == {
        "delivery_window": "EVE", "tier": "gold", "allergy=nuts": "nuts",
    }  # fmt: skip
    assert await rebuild(database, moved, now=NOW) == 0
    assert (await recanonicalize(database, moved, {"window": "delivery_window"}, now=NOW))[0] == 0
    with pytest.raises(ValueError, match="no attribute"):
        await recanonicalize(database, moved, {"window": "unknown"}, now=NOW)
