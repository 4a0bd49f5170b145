"""A customer can see everything that is kept, on whose words it rests, and take it away."""

import json
from datetime import timedelta
from typing import Any

from support.database import SCHEMA
from support.rights import NOW, START, THREAD, said, where
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.erasure.erase import forget
from trusted_memory.storage.know import export, know
from trusted_memory.storage.pool import Database


async def _know(committer: Committer, subject: Subject) -> dict[str, Any]:
    async with committer.database.connection() as connection:
        return await know(connection, subject, SCHEMA, NOW)


async def _export(committer: Committer, subject: Subject) -> dict[str, Any]:
    async with committer.database.connection() as connection:
        everything = await export(connection, subject)
    return dict(json.loads(json.dumps(everything, default=str)))


async def _live(committer: Committer, subject: Subject) -> None:
    await said(committer, subject, "m1", "mornings please", Claim("window", "morning", "mornings"))
    await said(
        committer, subject, "m2", "the evening, not mornings", Claim("window", "evening", "the evening", "correct")
    )
    await said(committer, subject, "m3", "evening again", Claim("window", "evening", "evening again"))
    await said(committer, subject, "m4", "I am Ann", Claim("name", "Ann", "I am Ann"))
    await said(committer, subject, "m5", "forget my name", Claim("name", None, "forget my name", "retract"))
    await said(
        committer,
        subject,
        "m6",
        "my wife is allergic to nuts",
        Claim("allergy", "nuts", "x", found="about_somebody_else"),
    )
    for system, value in (("account", "silver"), ("loyalty", "gold")):
        await said(committer, subject, system, value, Claim("tier", value, value), kind="tool", origin=system)
    await said(committer, subject, "a1", "Good.", kind="assistant", origin="assistant")


async def test_f4_every_value_leads_to_exact_quotes(committer: Committer, subject: Subject) -> None:
    """Facts with support, all quotes and the whole history; conflicts, withdrawals and what wasn't kept as well."""
    await _live(committer, subject)
    known = await _know(committer, subject)
    [window] = known["facts"]
    assert (window["value"], window["support"], window["about"]) == ("evening", 2, "When to deliver.")
    assert [(q["quote"], q["message"], q["conversation"]) for q in window["quotes"]] == [
        ("the evening", "m2", THREAD),
        ("evening again", "m3", THREAD),
    ]
    assert [q["quote"] for q in window["also_said"]] == ["mornings"]
    assert [(h["decision"], h["before"], h["after"]) for h in window["history"]] == [
        ("insert", None, "morning"),
        ("replace", "morning", "evening"),
        ("merge", "evening", "evening"),
    ]
    [tier] = known["conflicts"]
    assert tier["values"] == ["gold", "silver"]
    assert [w["attribute"] for w in known["withdrawn"]] == ["name"]
    assert [(r["attribute"], r["reason"]) for r in known["heard_but_not_kept"]] == [("allergy", "about_somebody_else")]
    assert (known["messages"], known["not_read_yet"]) == (9, 0)


async def test_what_time_has_changed_is_known_rightly(committer: Committer, subject: Subject) -> None:
    """What has ended isn't told as believed, even if the store hasn't been swept."""
    over = Claim("window", "noon", "noon", valid_until=NOW - timedelta(days=1))
    await said(committer, subject, "m1", "noon", over, at=START)
    assert (await _know(committer, subject))["facts"] == []


async def test_export_is_complete(committer: Committer, database: Database, subject: Subject) -> None:
    """Every row of every table about the customer is in it, and nobody else's."""
    await _live(committer, subject)
    await _live(committer, Subject(subject.tenant, "somebody else"))
    everything = await _export(committer, subject)
    async with database.connection() as connection:
        for table, name in (
            ("transcript", "transcript"), ("statement", "statements"), ("record", "records"), ("ledger", "ledger"),
        ):  # fmt: skip
            query = f"select count(*) as n from {table} where subject = %s"  # noqa: S608  # names of this test
            row = await (await connection.execute(query.encode(), ("shop.ana",))).fetchone()
            assert row
            assert len(everything[name]) == row["n"] > 0, table
    assert [f["slot"] for f in everything["facts"]] == ["window"]
    assert [(t["thread"], t["messages"]) for t in everything["threads"]] == [(THREAD, 9)]
    text = json.dumps(everything)
    assert "somebody else" not in text
    assert "evening again" in text


async def test_export_after_forgetting(committer: Committer, database: Database, subject: Subject) -> None:
    """Only skeletons are left to export, and the number of messages that were erased."""
    await _live(committer, subject)
    await forget(committer, subject, now=NOW)
    everything = await _export(committer, subject)
    assert everything["transcript"] == everything["facts"] == everything["threads"] == []
    assert everything["erased"]["messages"] == 9
    assert [row["statement"] for row in everything["ledger"]] == [{}] * len(everything["ledger"])
    assert await where(database, "evening", "Ann", "gold") == {}
