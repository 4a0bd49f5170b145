"""Conflicts are listed for people and settled by them; corrections by command go through the same decisions."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from support.database import SCHEMA
from support.rights import NOW, facts, said, where
from trusted_memory.facts.batch import Reading, UnknownSource
from trusted_memory.facts.schema import Attribute, schema
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage import review, transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.correct import Correction, correct
from trusted_memory.storage.erasure.erase import forget
from trusted_memory.storage.pool import Connection, Database
from trusted_memory.storage.rebuild import check
from trusted_memory.storage.recall import ledger
from trusted_memory.storage.review import ConflictChanged, Settlement, conflicts
from trusted_memory.storage.transcript import Message

LATER = NOW + timedelta(minutes=1)


async def _disagree(committer: Committer, subject: Subject, *, tag: str = "") -> None:
    """Two systems that say different things, which nothing orders."""
    for system, value in (("account", "silver"), ("loyalty", "gold")):
        text, claim = f"tier: {value}", Claim("tier", value, value)
        await said(committer, subject, f"{system}-1{tag}", text, claim, kind="tool", origin=system)


async def _page(committer: Committer, **how: Any) -> dict[str, Any]:
    async with committer.database.connection() as connection:
        return await conflicts(connection, committer.schema, now=NOW, **how)


async def _settle(committer: Committer, subject: Subject, value: str | None, **how: Any) -> dict[str, Any]:
    return await review.settle(committer, subject, Settlement("tier", value, "desk:anna", **how), now=LATER)


@pytest.fixture(autouse=True)
async def sound(committer: Committer) -> AsyncIterator[None]:
    """Whatever a test did, the records are what the statements say."""
    yield
    assert await check(committer.database, committer.schema, now=NOW) == []


async def test_conflicts_show_all_sides(committer: Committer, subject: Subject) -> None:
    """Each side with its value, quotes, and the ids of its statements; nothing of it is used in answers."""
    await _disagree(committer, subject)
    page = await _page(committer)
    [found] = page["conflicts"]
    assert (found["tenant"], found["user"], found["slot"]) == ("shop", "ana", "tier")
    sides = {side["value"]: side for side in found["sides"]}
    assert {v: s["statements"][0]["statement"] for v, s in sides.items()} == {
        "silver": ["account-1", 0],
        "gold": ["loyalty-1", 0],
    }
    assert sides["gold"]["statements"][0]["quote"] == "gold"
    assert page["next"] is None
    assert await facts(committer, subject) == {}


async def test_conflicts_are_paged(committer: Committer) -> None:
    """Every conflict of every customer comes once, oldest first; a tenant can be looked at alone."""
    people = [Subject("shop", f"user {i}.x") for i in range(5)] + [Subject("shop 2", "user 0.x")]
    for person in people:
        await _disagree(committer, person)
    seen, after = list[str](), None
    while True:
        page = await _page(committer, most=2, after=after)
        seen += [f"{c['tenant']}/{c['user']}" for c in page["conflicts"]]
        if (after := page["next"]) is None:
            break
    assert seen == [f"{p.tenant}/{p.user}" for p in people]
    assert [c["user"] for c in (await _page(committer, tenant="shop 2"))["conflicts"]] == ["user 0.x"]


async def test_a_side_is_chosen(committer: Committer, database: Database, subject: Subject) -> None:
    """The chosen side is believed on its own statements; who settled it and why is in transcript and ledger."""
    await _disagree(committer, subject)
    result = await _settle(committer, subject, "Gold", note="The customer showed the card.")
    assert result["decision"] == "insert"
    assert await facts(committer, subject) == {"tier": ("gold", 1)}
    assert (await _page(committer))["conflicts"] == []
    async with database.connection() as connection:
        row = await (await connection.execute("select * from transcript where kind = 'operator'")).fetchone()
        last = (await ledger(connection, subject, most=1))[0]
    assert row
    assert (row["thread"], row["origin"]) == ("#review", "desk")
    assert row["text"] == "desk:anna settled tier. The customer showed the card."
    assert last["statement"]["quote"] == row["text"]


async def test_a_value_nobody_stated(committer: Committer, subject: Subject) -> None:
    """The reviewer's own value is believed, in the rank of the sides that lost; the next word competes as usual."""
    await _disagree(committer, subject)
    await _settle(committer, subject, "Platinum")
    assert await facts(committer, subject) == {"tier": ("Platinum", 1)}
    weaker = Claim("tier", "bronze", "bronze", "correct")
    await said(committer, subject, "m1", "I am bronze", weaker, at=LATER + timedelta(hours=1))
    assert await facts(committer, subject) == {"tier": ("Platinum", 1)}


async def test_none_is_right(committer: Committer, subject: Subject) -> None:
    """All sides retired: nothing is believed, and nothing is in conflict."""
    await _disagree(committer, subject)
    await _settle(committer, subject, None)
    assert await facts(committer, subject) == {}
    assert (await _page(committer))["conflicts"] == []


async def test_settling_again_is_a_no_op(committer: Committer, subject: Subject) -> None:
    """The same settlement twice changes nothing; without its id there is nothing left to settle."""
    await _disagree(committer, subject)
    await _settle(committer, subject, "gold", source="s-1")
    assert (await _settle(committer, subject, "gold", source="s-1"))["decision"] == "noop"
    with pytest.raises(LookupError, match="not in conflict"):
        await _settle(committer, subject, "gold")


async def test_what_was_not_looked_at_is_not_settled(
    committer: Committer, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A side that speaks after the conflict was listed stops the settlement, also at the last moment."""
    await _disagree(committer, subject)
    revision = (await _page(committer))["conflicts"][0]["revision"]
    again = ("tier: bronze", Claim("tier", "bronze", "bronze"))
    await said(committer, subject, "account-2", *again, kind="tool", origin="account", at=NOW)
    with pytest.raises(ConflictChanged):
        await _settle(committer, subject, "gold", revision=revision)
    known = review._is_known
    look = review._look

    async def slow(*args: Any) -> Any:
        found = await look(*args)
        third = ("tier: tin", Claim("tier", "tin", "tin"))
        await said(
            committer, subject, "account-3", *third, kind="tool", origin="account", at=NOW + timedelta(seconds=1)
        )
        return found

    monkeypatch.setattr(review, "_look", slow)
    with pytest.raises(ConflictChanged, match="just now"):
        await _settle(committer, subject, "gold", source="s-1")
    assert not await known(committer, subject, "s-1")


async def test_erasing_a_settlement_undoes_it(committer: Committer, subject: Subject) -> None:
    """A settlement is a source: without it the conflict is back."""
    await _disagree(committer, subject)
    settled = await _settle(committer, subject, "gold")
    await forget(committer, subject, source=settled["settlement"], now=LATER)
    assert len((await _page(committer))["conflicts"]) == 1
    again = await _settle(committer, subject, "gold", source=settled["settlement"])
    assert again["decision"] == "noop"
    assert len((await _page(committer))["conflicts"]) == 1


async def test_f9_a_settlement_keeps_nothing_of_an_erased_side(
    committer: Committer, database: Database, subject: Subject
) -> None:
    """When a side is erased afterwards, the settlement names neither its value nor its message."""
    for winner, gone, value in (("silver", "loyalty-1a", "gold"), ("gold", "loyalty-1b", "gold")):
        person = Subject(subject.tenant, f"{subject.user} {gone[-1]}")
        await _disagree(committer, person, tag=gone[-1])
        await _settle(committer, person, winner)
        await forget(committer, person, source=gone, now=LATER)
        assert await where(database, value, gone) == {}
        assert await facts(committer, person) == ({"tier": ("silver", 1)} if winner == "silver" else {})


@pytest.mark.parametrize("by", ["", "anna", "desk:", ":anna"])
async def test_a_reviewer_has_a_name(committer: Committer, subject: Subject, by: str) -> None:
    """Nobody settles anonymously."""
    await _disagree(committer, subject)
    with pytest.raises(ValueError, match="desk:name"):
        await review.settle(committer, subject, Settlement("tier", "gold", by), now=LATER)


async def test_two_reviewers_at_once(committer: Committer, subject: Subject) -> None:
    """Of two reviewers one settles; the other is told to look again."""
    await _disagree(committer, subject)
    results = await asyncio.gather(
        *(_settle(committer, subject, value) for value in ("gold", "silver")), return_exceptions=True
    )
    assert sum(isinstance(r, dict) for r in results) == 1
    assert any(isinstance(r, ConflictChanged | LookupError) for r in results)


async def test_correcting_in_the_customers_words(committer: Committer, database: Database, subject: Subject) -> None:
    """A correction by command is the customer's own message, quoted; a second delivery changes nothing."""
    await said(committer, subject, "m1", "mornings", Claim("window", "morning", "mornings"))
    words = Correction("window", "evening", said="No, I said the evening!", by="desk:anna", source="call-1")
    result = await correct(committer, subject, words, now=NOW)
    assert (result["decision"], result["said_by"]) == ("replace", "user")
    assert (await correct(committer, subject, words, now=NOW))["decision"] == "noop"
    assert await facts(committer, subject) == {"window": ("evening", 1)}
    async with database.connection() as connection:
        row = await (await connection.execute("select * from transcript where source = 'call-1'")).fetchone()
    assert row
    assert (row["kind"], row["origin"], row["text"]) == ("user", "customer", "No, I said the evening!")
    assert row["thread"] == "#command taken down by desk:anna"
    assert row["extractor"] == "command", "no model reads it again"


async def test_a_recorded_message_comes_with_its_decision(
    committer: Committer, database: Database, subject: Subject
) -> None:
    """A message that is recorded by its own commit is not there when the commit fails."""
    message = Message("m1", "thread", "user", "customer", NOW, "evening")

    async def recording(connection: Connection) -> None:
        await (await connection.execute("select 1")).fetchall()
        await transcript.record(connection, subject, [message], committer.key())

    readings = [Reading("m1", (Claim("window", "evening", "evening"),)), Reading("nowhere")]
    with pytest.raises(UnknownSource):
        await committer.commit(subject, readings, extractor="test", now=NOW, recording=recording)
    assert await where(database, "evening") == {}
    await committer.commit(subject, readings[:1], extractor="test", now=NOW, recording=recording)
    assert await facts(committer, subject) == {"window": ("evening", 1)}


async def test_withdrawing(committer: Committer, subject: Subject) -> None:
    """A withdrawal by command; of many values, the one that is named."""
    await said(
        committer,
        subject,
        "m1",
        "evening, no nuts",
        Claim("window", "evening", "evening"),
        Claim("allergy", "nuts", "nuts"),
    )
    await correct(committer, subject, Correction("window", None, withdraw=True), now=NOW)
    assert await facts(committer, subject) == {"allergy=nuts": ("nuts", 1)}
    with pytest.raises(ValueError, match="which value of allergy"):
        await correct(committer, subject, Correction("allergy", None, withdraw=True), now=NOW)
    await correct(committer, subject, Correction("allergy", "Nuts", withdraw=True), now=NOW)
    assert await facts(committer, subject) == {}


async def test_f10_a_command_has_no_authority_of_its_own(
    committer: Committer, database: Database, subject: Subject
) -> None:
    """An operator or a customer without authority is refused before anything is recorded."""
    only_tools = schema([*SCHEMA.values(), Attribute("status", "Set by a system.", authority=(("tool:account",),))])
    strict = Committer(database, only_tools, committer.key)
    for correction, message in (
        (Correction("window", "evening", by="desk:anna"), "operator of 'desk' has no authority over window.*--said"),
        (Correction("status", "vip"), "the customer has no authority over status, only tool:account"),
        (Correction("shoe", "42"), "no attribute is called 'shoe'"),
        (Correction("window", " "), "can't be a value of window"),
        (Correction("window", "evening", by="anna"), "desk:name"),
    ):
        with pytest.raises((ValueError, LookupError), match=message):
            await correct(strict, subject, correction, now=NOW)
    async with database.connection() as connection:
        assert await (await connection.execute("select 1 from transcript")).fetchone() is None


async def test_an_operator_with_authority(committer: Committer, database: Database, subject: Subject) -> None:
    """Where the domain lists operators, their word counts in its rank, and their name is kept."""
    listed = schema([Attribute("window", "When.", authority=(("operator:desk",), ("user",)))])
    committer.schema, trusting = listed, committer
    await said(trusting, subject, "m1", "mornings", Claim("window", "morning", "mornings"))
    await correct(trusting, subject, Correction("window", "evening", by="desk:anna"), now=NOW)
    assert await facts(trusting, subject) == {"window": ("evening", 1)}
    assert (await where(database, "desk:anna: correct window")).keys() == {"desk:anna: correct window"}
    with pytest.raises(ValueError, match="no authority"):
        await correct(trusting, subject, Correction("window", "noon", by="stall:eve"), now=NOW)
