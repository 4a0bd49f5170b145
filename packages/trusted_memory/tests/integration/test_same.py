"""Values in several wordings that are the same by their `same` form: one slot, found by any wording, erased whole."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from support.rights import NOW, facts, said, where
from trusted_memory.facts.schema import Attribute, schema
from trusted_memory.facts.words import Claim, Subject
from trusted_memory.storage import review
from trusted_memory.storage.commit import Committer
from trusted_memory.storage.correct import Correction, correct
from trusted_memory.storage.erasure.erase import forget
from trusted_memory.storage.pool import Database
from trusted_memory.storage.rebuild import check, recanonicalize
from trusted_memory.storage.recall import ledger
from trusted_memory.storage.review import Settlement

LATER = NOW + timedelta(minutes=1)
SCHEMA = schema(
    [
        Attribute("allergy", "What to avoid.", many=True, same="the thing itself"),
        Attribute(
            "employer",
            "Who they work for.",
            same="the firm's name",
            authority=(("tool:account", "tool:loyalty", "user"),),
            between_origins="conflict",
        ),
    ]
)


@pytest.fixture
def committer(database: Database) -> Committer:
    """With attributes that are compared by `same`."""
    return Committer(database, SCHEMA, lambda: b"a key of the tests")


@pytest.fixture(autouse=True)
async def sound(committer: Committer) -> AsyncIterator[None]:
    """Whatever a test did, the records are what the statements say."""
    yield
    assert await check(committer.database, SCHEMA, now=NOW) == []


def claim(value: str, same: str, name: str = "allergy", **more: Any) -> Claim:
    return Claim(name, value, value, same=same, **more)


async def _two_wordings(committer: Committer, subject: Subject) -> None:
    await said(committer, subject, "m1", "No Quetzalnuts please", claim("Quetzalnuts", "quetzalnut"))
    await said(committer, subject, "m2", "my quetzalnut thing", claim("quetzalnut thing", "Quetzalnut"))
    await said(committer, subject, "m3", "nor any milk", claim("milk", "milk"))


async def test_two_wordings_are_one_fact(committer: Committer, subject: Subject) -> None:
    """F4: what is the same counts together, and the last wording is shown."""
    await _two_wordings(committer, subject)
    assert await facts(committer, subject) == {
        "allergy=quetzalnut": ("quetzalnut thing", 2), "allergy=milk": ("milk", 1),
    }  # fmt: skip
    assert await recanonicalize(committer.database, SCHEMA, {}, now=NOW) == (0, [])


@pytest.mark.parametrize("wording", ["quetzalnut", "QUETZALNUTS", "quetzalnut  thing"])
async def test_f9_any_wording_names_the_fact(
    committer: Committer, database: Database, subject: Subject, wording: str
) -> None:
    """F9: forgotten by its form or by any of its wordings, all of it goes, and nothing else."""
    await _two_wordings(committer, subject)
    await said(committer, subject, "a1", "Noted: quetzalnut.", kind="assistant", origin="assistant")
    await forget(committer, subject, fact=f"allergy={wording}", now=NOW)
    assert await facts(committer, subject) == {"allergy=milk": ("milk", 1)}
    assert await where(database, "quetzalnut", "m1", "m2") == {}


async def test_f9_a_wording_goes_with_its_message(committer: Committer, database: Database, subject: Subject) -> None:
    """F9: the words of an erased message go everywhere, also where another message keeps the fact."""
    await _two_wordings(committer, subject)
    await said(committer, subject, "reply-1", "Noted: Quetzalnuts.", kind="assistant", origin="assistant")
    await said(committer, subject, "a2", "Noted: quetzalnut thing.", kind="assistant", origin="assistant")
    await forget(committer, subject, source="m1", now=NOW)
    assert await facts(committer, subject) == {
        "allergy=quetzalnut": ("quetzalnut thing", 1), "allergy=milk": ("milk", 1),
    }  # fmt: skip
    assert await where(database, "Quetzalnuts", "reply-1") == {}
    assert "transcript" in (await where(database, "Noted: quetzalnut thing"))["Noted: quetzalnut thing"]
    async with database.connection() as connection:
        rows = [row for row in await ledger(connection, subject) if row["source"] == "m2"]
    assert (rows[0]["before"]["value"], rows[0]["after"]["value"]) == (None, "quetzalnut thing")


@pytest.mark.parametrize("wording", ["quetzalnut", "Quetzalnuts", "quetzalnut thing"])
async def test_commands_find_the_fact(committer: Committer, subject: Subject, wording: str) -> None:
    """Who corrects or withdraws by command names a value as it is shown, or was; the fact is the same one."""
    await _two_wordings(committer, subject)
    again = await correct(committer, subject, Correction("allergy", wording), now=NOW)
    assert (again["decision"], again["after"]["value"], again["after"]["support"]) == ("merge", wording, 3)
    await correct(committer, subject, Correction("allergy", wording, withdraw=True, source="c1"), now=LATER)
    assert await facts(committer, subject) == {"allergy=milk": ("milk", 1)}
    twice = await correct(committer, subject, Correction("allergy", wording, withdraw=True, source="c1"), now=LATER)
    assert twice["decision"] == "noop"


@pytest.mark.parametrize("wording", ["Quetzal Ltd", "quetzal", "QUETZAL LTD"])
async def test_a_reviewer_names_a_side_as_it_is_shown(committer: Committer, subject: Subject, wording: str) -> None:
    """A side that is chosen needs no word of the reviewer's, whatever it is compared by."""
    await said(committer, subject, "t1", "Quetzal Ltd", claim("Quetzal Ltd", "quetzal", "employer"), kind="tool",
               origin="account")  # fmt: skip
    await said(committer, subject, "t2", "Acme", claim("Acme", "acme", "employer"), kind="tool", origin="loyalty")
    settled = await review.settle(committer, subject, Settlement("employer", wording, "desk:anna"), now=NOW)
    assert settled["decision"] == "insert"
    assert await facts(committer, subject) == {"employer": ("Quetzal Ltd", 1)}
