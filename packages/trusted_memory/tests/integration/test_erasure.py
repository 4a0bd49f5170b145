"""F9: what is forgotten is nowhere any more, and stays forgotten."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Any

import pytest

from support.database import SCHEMA
from support.rights import NOW, START, THREAD, dump, facts, said, where
from trusted_memory.facts.batch import Outcome, Reading
from trusted_memory.facts.evidence import erase_all
from trusted_memory.facts.schema import Attribute, schema
from trusted_memory.facts.words import Claim, Statement, Subject
from trusted_memory.storage import transcript
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.erasure.erase import forget
from trusted_memory.storage.pool import Database, subject_id
from trusted_memory.storage.rebuild import check
from trusted_memory.storage.recall import as_of, recall
from trusted_memory.storage.transcript import Message


def outcomes(found: Sequence[Outcome]) -> list[str]:
    return [type(o.decision).__name__ for o in found]


@pytest.fixture(autouse=True)
async def sound(committer: Committer) -> AsyncIterator[None]:
    """Whatever a test did, the records are what the statements say."""
    yield
    assert await check(committer.database, committer.schema, now=NOW) == []


KINDS = {
    "a word": ("window", "quetzalmorning", "Please come in the quetzalmorning, I beg you."),
    "one of many": ("allergy", "Quetzalnuts", "I am allergic to Quetzalnuts since my youth."),
    "a phrase": ("name", "Prof. Quetzal von Turm", "Do call me Prof. Quetzal von Turm in letters."),
    "another script": ("name", "花木蘭", "請叫我花木蘭、謝謝你的幫忙。"),
    "with quotes and a line break": ("name", 'Quetz "Q" O\'Neil\\', 'Say:\n"Quetz "Q" O\'Neil\\" from now on, please.'),
    "an emoji": ("allergy", "🥜", "No 🥜 for me in any parcel, thank you."),
    "combining marks": ("name", "Que\u0301tzal", "My name is Que\u0301tzal and nothing else."),
    "capitals that fold": ("allergy", "GROẞQUETZAL", "GROẞQUETZAL makes me sneeze every spring."),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["source", "fact", "everything"])
async def test_f9_nothing_is_left(
    committer: Committer, database: Database, subject: Subject, kind: str, how: str
) -> None:
    """After any way of forgetting, no table holds the value, the words, or the id of the message."""
    name, value, text = KINDS[kind]
    attribute = SCHEMA[name]
    _, key = attribute.read(value) or ("", "")
    claim = Claim(name, value, text[3:-3])
    await said(committer, subject, "id-zebra-1", text, claim)
    await said(committer, subject, "id-other-2", "Hello there.")
    await said(committer, subject, "id-zebra-1", text, claim)
    await said(committer, subject, "id-reply-3", f"Noted: {value}.", kind="assistant", origin="assistant")
    await said(committer, subject, "id-tool-4", f'[{{"text": "{text[:60]}"}}]', kind="tool", origin="search_transcript")
    assert (await where(database, value)).keys() == {value}
    match how:
        case "source":
            receipt = await forget(committer, subject, source="id-zebra-1", now=NOW)
        case "fact":
            receipt = await forget(committer, subject, fact=attribute.slot(key), now=NOW)
        case _:
            receipt = await forget(committer, subject, now=NOW)
    words = (value, key, text, text[3:-3], "id-zebra-1", "id-reply-3", "id-tool-4")
    assert await where(database, *words) == {}
    assert not any(word in str(receipt) for word in words)
    assert receipt["facts"] == [{"attribute": name, "now": "gone"}]
    assert (await dump(database))["record"] == ""
    assert outcomes(await said(committer, subject, "id-zebra-1", text, claim)) == ["NoOp"]
    assert await where(database, *words) == {}


async def test_f9_shared_facts_lose_a_support(committer: Committer, database: Database, subject: Subject) -> None:
    """What another message says as well stays, with one support less; the receipt tells."""
    await said(committer, subject, "m1", "evening is fine by me", Claim("window", "evening", "evening is fine"))
    await said(committer, subject, "m2", "evening, as I said", Claim("window", "evening", "evening, as"))
    assert await facts(committer, subject) == {"window": ("evening", 2)}
    receipt = await forget(committer, subject, source="m1", now=NOW)
    assert await facts(committer, subject) == {"window": ("evening", 1)}
    assert receipt["facts"] == [{"attribute": "window", "now": "less support"}]
    assert receipt["also_mentioned_in"] == []
    assert await where(database, "is fine by me", "m1") == {}


async def test_f9_the_ledger_keeps_a_skeleton(committer: Committer, database: Database, subject: Subject) -> None:
    """Rows of other messages lose the erased value too; what they say themselves stays."""
    await said(committer, subject, "m1", "come quetzalmorning", Claim("window", "quetzalmorning", "quetzalmorning"))
    await said(committer, subject, "m2", "evening now", Claim("window", "evening", "evening", "correct"))
    await forget(committer, subject, source="m1", now=NOW)
    async with database.connection() as connection:
        rows = await (await connection.execute("select * from ledger order by id")).fetchall()
    assert [row["outcome"] for row in rows] == ["insert", "replace"]
    assert rows[0]["source"].startswith("erased:")
    assert rows[0]["statement"] == {}
    assert rows[0]["after"] is None
    assert rows[1]["before"]["value"] is None
    assert rows[1]["before"]["status"] == "active"
    assert rows[1]["after"]["value"] == "evening"
    assert rows[1]["statement"]["value"] == "evening"


@pytest.mark.parametrize("what", [{"source": "m1"}, {"fact": "secret quetzal"}, {}], ids=str)
async def test_f9_an_attribute_that_a_model_made_up_goes_too(
    committer: Committer, database: Database, subject: Subject, what: dict[str, Any]
) -> None:
    """Its name is free text, also where the quote is not found; a redelivery doesn't bring it back."""
    claims = Claim("secret quetzal", "x", "it is"), Claim("quetzal too", "y", "never said")
    assert outcomes(await said(committer, subject, "m1", "so it is", *claims)) == ["Reject", "Reject"]
    await forget(committer, subject, now=NOW, **what)
    assert await where(database, "quetzal") == {}
    assert outcomes(await said(committer, subject, "m1", "so it is", *claims)) == ["NoOp", "NoOp"]
    assert await where(database, "quetzal") == {}


@pytest.mark.parametrize(("attribute", "value"), [("allergy", "quetzalnuts"), ("window", "quetzalmorning")])
async def test_f9_a_withdrawal_leaves_a_sealed_tombstone(
    committer: Committer, database: Database, subject: Subject, attribute: str, value: str
) -> None:
    """The withdrawn value is nowhere in clear, and still it can't come back with an older message."""
    await said(committer, subject, "m1", f"{value} it is", Claim(attribute, value, value))
    await said(committer, subject, "m2", f"no more {value}", Claim(attribute, value, value, "retract"))
    await forget(committer, subject, source="m2", now=NOW)
    assert await facts(committer, subject) == {}, "its older statement must not return"
    assert await check(database, SCHEMA, now=NOW) == [], "also by the rows alone, without the key"
    await forget(committer, subject, source="m1", now=NOW)
    assert await where(database, value, "m1", "m2") == {}
    late = await said(committer, subject, "m0", f"{value} please", Claim(attribute, value, value), at=START)
    assert await facts(committer, subject) == {}, "said before the withdrawal"
    async with database.connection() as connection:
        resolved = await as_of(connection, subject, SCHEMA, NOW)
        assert "active" not in {record.status for record in resolved.values()}, "also by the rows alone"
    assert outcomes(late) == ["Reject"]
    later = await said(committer, subject, "m3", f"{value} again", Claim(attribute, value, value))
    assert outcomes(later) == ["Insert"]
    await forget(committer, subject, fact=attribute, now=NOW)
    assert await where(database, value) == {}, "and it is sealed again"
    await said(committer, subject, "m4", f"{value} for ever", Claim(attribute, value, value), at=START)
    assert await facts(committer, subject) == {}


async def test_f9_tombstones_know_their_time(committer: Committer, subject: Subject) -> None:
    """Erasing a withdrawal doesn't bring the withdrawn value back in "as of" either."""
    await said(committer, subject, "m1", "evening", Claim("window", "evening", "evening"))
    await said(committer, subject, "m2", "forget the evening", Claim("window", "evening", "evening", "retract"))
    async with committer.database.connection() as connection:
        row = await (await connection.execute("select clock_timestamp() as now")).fetchone()
    assert row
    await forget(committer, subject, source="m2", now=NOW)
    async with committer.database.connection() as connection:
        # Statements are dated in 2027 here; what was recorded by this moment is what counts.
        before = await as_of(connection, subject, SCHEMA, row["now"])
    assert [record.status for record in before.values()] == ["retracted"]


async def test_f9_two_acceptances_of_one_proposal(committer: Committer, database: Database, subject: Subject) -> None:
    """Erasing a proposal that was accepted twice takes both statements; withdrawals stay withdrawn."""
    await said(committer, subject, "m1", "quetzalmorning", Claim("window", "quetzalmorning", "quetzalmorning"))
    await said(committer, subject, "a1", "Shall I drop it?", kind="assistant", origin="assistant")
    for source in ("m2", "m3"):
        await said(committer, subject, source, "Yes, do.", Claim("window", None, "Yes", "retract", accepts="a1"))
    assert await facts(committer, subject) == {}
    await forget(committer, subject, source="a1", now=NOW)
    assert await facts(committer, subject) == {}
    assert await where(database, "a1", "Shall I drop it") == {}


def test_two_tombstones_are_told_apart() -> None:
    """A source and an ordinal name one statement, also where two messages had accepted the same withdrawal."""
    told = [
        Statement(m, 0, "user", "customer", None, START, "window", "window", None, None, "retract", accepts="a1")
        for m in ("m2", "m3")
    ]
    left = erase_all(tuple(told), {"a1": "erased:a1"})
    assert sorted(s.id for s in left) == [("erased:a1", 0), ("erased:a1", 1)]


async def test_f9_an_accepted_value_goes_with_the_proposal(
    committer: Committer, database: Database, subject: Subject
) -> None:
    """The value came from the assistant's message: it goes with it, and the customer's own yes stays."""
    await said(committer, subject, "a1", "Shall we say quetzalmorning?", kind="assistant", origin="assistant")
    await said(committer, subject, "m2", "Yes, do.", Claim("window", "quetzalmorning", "Yes", accepts="a1"))
    assert await facts(committer, subject) == {"window": ("quetzalmorning", 1)}
    await forget(committer, subject, source="a1", now=NOW)
    assert await facts(committer, subject) == {}
    assert await where(database, "quetzalmorning", "a1") == {}
    assert (await where(database, "Yes, do.")).keys() == {"Yes, do."}


async def test_f9_a_proposal_goes_with_what_accepted_it(
    committer: Committer, database: Database, subject: Subject
) -> None:
    """Once the acceptance is forgotten, nothing rests on the proposal, which only repeats the value."""
    await said(committer, subject, "a1", "Shall we say quetzalmorning?", kind="assistant", origin="assistant")
    await said(committer, subject, "m2", "Yes, do.", Claim("window", "quetzalmorning", "Yes", accepts="a1"))
    receipt = await forget(committer, subject, source="m2", now=NOW)
    assert await where(database, "quetzalmorning", "Yes, do.") == {}
    assert receipt["reached"]["messages_that_repeated_it"] == 1


async def test_f9_a_proposal_that_others_rest_on_stays(
    committer: Committer, database: Database, subject: Subject
) -> None:
    """A second acceptance keeps the fact and the proposal; the receipt names it."""
    await said(committer, subject, "a1", "Shall we say quetzalmorning?", kind="assistant", origin="assistant")
    for source in ("m2", "m3"):
        yes = Claim("window", "quetzalmorning", "Yes", accepts="a1")
        await said(committer, subject, source, f"Yes, do, says {source}.", yes)
    await forget(committer, subject, source="m2", now=NOW)
    assert await facts(committer, subject) == {"window": ("quetzalmorning", 1)}
    assert await where(database, "says m2") == {}


async def test_f9_of_many_corrections_the_last_one_left_holds(
    committer: Committer, database: Database, subject: Subject
) -> None:
    """However often a fact was corrected, forgetting the newest word lets the one before count again."""
    for i in range(40):
        claim = Claim("window", f"slot {i}", f"slot {i}", "correct")
        await said(committer, subject, f"m{i}", f"Please, slot {i}.", claim)
    for i in range(39, 20, -1):
        assert await facts(committer, subject) == {"window": (f"slot {i}", 1)}
        await forget(committer, subject, source=f"m{i}", now=NOW)
    again = await said(committer, subject, "n1", "slot 20 is fine", Claim("window", "slot 20", "slot 20"))
    assert outcomes(again) == ["Merge"], "an ordinary commit sees what is left, too"
    assert await facts(committer, subject) == {"window": ("slot 20", 2)}
    assert await check(database, SCHEMA, now=NOW) == []


async def test_f9_expired_facts_go_too(committer: Committer, database: Database, subject: Subject) -> None:
    """A fact that time has ended, but that the store still shows, is reached as well."""
    end = NOW - timedelta(days=1)
    await said(committer, subject, "m1", "quetzal for now", Claim("window", "quetzal", "quetzal", valid_until=end))
    async with database.connection() as connection:
        await connection.execute("select set_config('memory.committing', 'on', false)")
        await connection.execute(
            "insert into store (prefix, key, value) values (%s, 'window', '{\"value\": \"quetzal\"}')"
            " on conflict (prefix, key) do nothing",
            (f"facts.{subject_id(subject)}",),
        )
        await connection.execute("select set_config('memory.committing', '', false)")
    await forget(committer, subject, source="m1", now=NOW)
    assert await where(database, "quetzal") == {}


async def test_f9_statements_read_anew_are_reached(committer: Committer, database: Database, subject: Subject) -> None:
    """A newer reading ends the older one's statements; forgetting takes those as well."""
    text = "zorillaone and zorillatwo"
    await said(committer, subject, "m1", text, Claim("allergy", "zorillaone", "zorillaone"))
    newer = [Reading("m1", (Claim("allergy", "zorillatwo", "zorillatwo"),))]
    await committer.commit(subject, newer, extractor="newer", now=NOW)
    assert await facts(committer, subject) == {"allergy=zorillatwo": ("zorillatwo", 1)}
    await forget(committer, subject, source="m1", now=NOW)
    assert await where(database, "zorillaone", "zorillatwo") == {}


async def test_f9_attributes_that_are_gone(database: Database, committer: Committer, subject: Subject) -> None:
    """A fork may have dropped the attribute; what was said about it can still be forgotten."""
    await said(committer, subject, "m1", "quetzalnuts!", Claim("allergy", "quetzalnuts", "quetzalnuts"))
    smaller = Committer(database, schema([Attribute("window", "When.")]), committer.key)
    await forget(smaller, subject, source="m1", now=NOW)
    assert await where(database, "quetzalnuts") == {}


async def test_forgetting_names_what_is_left(committer: Committer, subject: Subject) -> None:
    """Other messages of the customer that name the value aren't touched, but named."""
    await said(committer, subject, "m1", "quetzalnuts kill me", Claim("allergy", "quetzalnuts", "quetzalnuts"))
    await said(committer, subject, "m2", "Do you sell quetzalnuts?")
    receipt = await forget(committer, subject, fact="allergy=Quetzalnuts", now=NOW)
    assert receipt["also_mentioned_in"] == ["m2"]
    assert receipt["reached"]["messages"] == 1
    assert any("backups" in line for line in receipt["not_reached"])
    assert any("--host" in line for line in receipt["not_reached"])


async def test_what_everybody_says_is_no_trace(committer: Committer, database: Database, subject: Subject) -> None:
    """Replies aren't taken for copies because of words that the customer's other messages have as well."""
    start = "I would like to tell you about my parcels:"
    await said(
        committer,
        subject,
        "m1",
        f"{start} I like the quetzalmorning",
        Claim("window", "quetzalmorning", "quetzalmorning"),
    )
    await said(committer, subject, "m2", f"{start} they are heavy")
    reply = f"You began with “{start}” and I am listening."
    await said(committer, subject, "a3", reply, kind="assistant", origin="assistant")
    receipt = await forget(committer, subject, source="m1", now=NOW)
    assert receipt["reached"]["messages"] == 1
    assert receipt["also_mentioned_in"] == []
    assert set(await where(database, reply, "heavy")) == {reply, "heavy"}


async def test_forgetting_twice_changes_nothing(committer: Committer, subject: Subject) -> None:
    """The second time, nothing is left to reach; a message or attribute that never was is an error."""
    await said(committer, subject, "m1", "evening please", Claim("window", "evening", "evening"))
    await forget(committer, subject, source="m1", now=NOW)
    for source, fact in (("m1", None), (None, "window"), (None, None)):
        reached = (await forget(committer, subject, source=source, fact=fact, now=NOW))["reached"]
        assert not any(reached.values()), reached
    with pytest.raises(LookupError, match="no message 'm9'"):
        await forget(committer, subject, source="m9", now=NOW)
    with pytest.raises(LookupError, match="no attribute is called 'shoe'"):
        await forget(committer, subject, fact="shoe", now=NOW)
    with pytest.raises(ValueError, match="one fact or one message"):
        await forget(committer, subject, fact="window", source="m1", now=NOW)


async def test_f6_nobody_else_is_touched(committer: Committer, database: Database, subject: Subject) -> None:
    """The same ids and words of another customer stay where they are."""
    other = Subject(subject.tenant, subject.user + "a")
    for who in (subject, other):
        await said(committer, who, "m1", "quetzalnuts!", Claim("allergy", "quetzalnuts", "quetzalnuts"))
    await forget(committer, subject, now=NOW)
    assert await facts(committer, other) == {"allergy=quetzalnuts": ("quetzalnuts", 1)}
    again = await said(committer, other, "m2", "quetzalnuts", Claim("allergy", "quetzalnuts", "quetzalnuts"))
    assert outcomes(again) == ["Merge"]


async def test_hashes_need_the_key(committer: Committer, database: Database, subject: Subject) -> None:
    """Without the deployment's key, what stays of a message or a withdrawn value can't be recognised by trying."""
    await said(committer, subject, "m1", "no quetzal", Claim("allergy", "quetzal", "quetzal", "retract"))
    await forget(committer, subject, now=NOW)
    for text in ("m1", "quetzal", f"value\0{subject_id(subject)}\0allergy\0quetzal"):
        for make in (hashlib.sha256, hashlib.md5, hashlib.sha1):
            digest = make(text.encode()).hexdigest()
            assert await where(database, digest) == {}


@pytest.mark.parametrize("round", range(8))
async def test_f9_races_leave_nothing(committer: Committer, database: Database, subject: Subject, round: int) -> None:
    """However recording, committing and forgetting of one message interleave, nothing of it is left at the end."""
    text = "quetzalnuts are bad for me, I tell you"

    async def deliver() -> None:
        for attempt in range(4):
            try:
                await said(committer, subject, "m1", text, Claim("allergy", "quetzalnuts", "quetzalnuts are bad"))
            except LookupError:
                pytest.fail("an erased message is a no-op, not an error")
            await asyncio.sleep(0.001 * (round + attempt))

    async def erase() -> None:
        await asyncio.sleep(0.002 * round)
        async with asyncio.timeout(20):
            while True:
                try:
                    await forget(committer, subject, source="m1", now=NOW)
                except LookupError:
                    await asyncio.sleep(0)
                else:
                    return

    await asyncio.gather(deliver(), deliver(), erase(), deliver())
    assert await where(database, "quetzalnuts", "m1", "bad for me") == {}
    assert await facts(committer, subject) == {}


async def test_f9_recording_waits_for_an_erasure(committer: Committer, database: Database, subject: Subject) -> None:
    """A message that is being erased can't be recorded again between the look and the insert."""
    await said(committer, subject, "m1", "quetzal", Claim("window", "quetzal", "quetzal"))
    looked, go = asyncio.Event(), asyncio.Event()

    async def finish(_: object) -> None:
        looked.set()
        await go.wait()

    erasing = asyncio.create_task(committer.erase(subject, "m1", now=NOW, finish=finish))
    await looked.wait()

    async def record() -> list[str]:
        async with database.connection() as connection:
            message = Message("m1", THREAD, "user", "customer", START, "quetzal")
            return await transcript.record(connection, subject, [message], committer.key())

    recording = asyncio.create_task(record())
    await asyncio.sleep(0.2)
    assert not recording.done()
    go.set()
    await erasing
    assert await recording == []
    assert await where(database, "quetzal") == {}


async def test_a_failed_erasure_erases_nothing(committer: Committer, subject: Subject) -> None:
    """All or nothing: an error on the way leaves everything as it was."""
    await said(committer, subject, "m1", "evening", Claim("window", "evening", "evening"))

    async def fail(_: object) -> None:
        raise RuntimeError("the power went")

    with pytest.raises(RuntimeError, match="power"):
        await committer.erase(subject, "m1", now=NOW, finish=fail)
    assert await facts(committer, subject) == {"window": ("evening", 1)}
    async with committer.database.connection() as connection:
        assert (await recall(connection, subject, SCHEMA, NOW)).facts["window"]["quotes"]
        assert await transcript.known(connection, subject, ["m1"])
