"""Attributes declared by a pydantic model: what is read, what isn't, and what can't be declared."""

import unicodedata
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from annotated_types import MultipleOf
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, EmailStr, Field, create_model, field_validator

from support.preferences import WRITTEN, Preferences
from trusted_memory.facts.batch import Reading, slot_of
from trusted_memory.facts.decide import admit, settlement
from trusted_memory.facts.declare import Remember, schema_of
from trusted_memory.facts.evidence import read_among
from trusted_memory.facts.kinds import Kind
from trusted_memory.facts.schema import Attribute
from trusted_memory.facts.values import Phone, TimeRange
from trusted_memory.facts.words import Claim, Source, Statement
from trusted_memory.service.notes import notes_to_readings, readings_to_notes
from trusted_memory.storage.rebuild import _moved

NOW = datetime.fromisoformat("2027-01-15T12:00:00+00:00")
Letters = Literal["XXS", "XS", "S", "M", "L", "XL", "XXL", "XXXL"]
Size = Annotated[Decimal, Field(ge=15, le=60, multiple_of=Decimal("0.5"))]


class Customer(BaseModel):
    """As in graph/domain_typed.py, and one attribute of each other type."""

    preferred_name: Annotated[str, Remember("What to be called.", cues=("name",), examples=("Sam", "Ms. Ito"))]
    delivery_window: Annotated[Literal["morning", "afternoon", "evening"] | TimeRange, Remember("When to deliver.")]
    contact_channel: Annotated[
        Literal["email", "phone", "sms", "post"],
        Remember("How to reach.", options={"sms": "text messages", "phone": "calls"}, valid_for=timedelta(days=30)),
    ]
    shoe_size: Annotated[Size, Remember("Own shoe size.", authority=(("operator",), ("user",)))]
    clothing_size: Annotated[Letters | Annotated[int, Field(ge=30, le=64)], Remember("Own clothing size.")]
    has_lift: Annotated[bool | None, Remember("There is a lift.")] = None
    move_in_date: Annotated[date, Remember("When they move in.")] | None
    email: Annotated[EmailStr, Remember("E-mail.")]
    phone: Annotated[Phone, Remember("Phone.")]
    allergy: Annotated[
        list[str],
        Remember("Allergic to.", within_origin="ask", between_origins="conflict", look_twice=True, same="the thing"),
    ]


SCHEMA = schema_of(Customer)
ALL = {**SCHEMA, **{f"prefers {name}": attribute for name, attribute in schema_of(Preferences).items()}}


def declared(kind: Any, remember: Remember | None = None) -> Attribute:
    """The attribute of a model with one field."""
    fields: dict[str, Any] = {"it": (Annotated[kind, remember or Remember("It.")], ...)}
    return schema_of(create_model("One", **fields))["it"]


def test_a_declaration_says_all_of_it() -> None:
    """Type, meanings, bounds and all of `Remember` are there to read."""
    assert {name: a.form for name, a in SCHEMA.items()} == {
        "preferred_name": "text",
        "delivery_window": "morning | afternoon | evening | HH:MM-HH:MM | from HH:MM | until HH:MM",
        "contact_channel": "email | phone | sms | post",
        "shoe_size": "number 15 to 60 in steps of 0.5",
        "clothing_size": "XXS | XS | S | M | L | XL | XXL | XXXL | whole number 30 to 64",
        "has_lift": "yes | no", "move_in_date": "YYYY-MM-DD", "email": "email address", "phone": "phone number",
        "allergy": "text",
    }  # fmt: skip
    channel, allergy, size = SCHEMA["contact_channel"], SCHEMA["allergy"], SCHEMA["clothing_size"]
    assert channel.kind == Kind("option", (("email", ""), ("phone", "calls"), ("sms", "text messages"), ("post", "")))
    assert (channel.examples, channel.default_validity) == (("email", "phone", "sms", "post"), timedelta(days=30))
    assert [kind.name for kind in size.kind.parts] == ["option", "number"]
    assert size.kind.parts[1] == Kind("number", least=Decimal(30), most=Decimal(64), step=Decimal(1))
    assert allergy.many
    assert (allergy.within_origin, allergy.between_origins) == ("ask", "conflict")
    assert (allergy.look_twice, allergy.same, allergy.kind.parts) == (True, "the thing", (Kind("text"),))
    assert SCHEMA["shoe_size"].authority == (("operator",), ("user",))
    assert (SCHEMA["preferred_name"].cues, SCHEMA["preferred_name"].examples) == (("name",), ("Sam", "Ms. Ito"))
    assert len({hash(attribute) for attribute in ALL.values()}) == len(ALL)  # the gate keeps what it found by attribute
    by_hand = Attribute("note", "", canonical=str.upper)
    assert (by_hand.kind, by_hand.form, by_hand.read("x", "y")) == (Kind("text"), "text", ("X", "x"))


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        (Annotated[int, Field(gt=0)], "whole number above 0"), (Annotated[float, Field(lt=9.5)], "number below 9.5"),
        (Annotated[int, Field(ge=1)], "whole number from 1"), (Annotated[int, Field(le=9)], "whole number up to 9"),
        (Annotated[date, Field(ge=date(1900, 1, 1))], "YYYY-MM-DD from 1900-01-01"),
        (Annotated[int, Field(multiple_of=5)], "number in steps of 5"), (Decimal, "number"),
    ],
)  # fmt: skip
def test_forms_tell_the_bounds(kind: Any, form: str) -> None:
    """A model that is asked for a value is told in which bounds."""
    assert declared(kind).form == form


NAMED: list[tuple[str, dict[str, str | None]]] = [
    ("delivery_window", {
        "morning": "morning", "Mornings": "morning", "in the evening": "evening", "in the evenings": "evening",
        "every AFTERNOON": "afternoon", "not morning": None, "morning or evening": None, "never in the morning": None,
        "anything but morning": None, "morning/evening": None, "mornings except Fridays": None, "": None, "the": None,
        "14:00-16:00": "14:00-16:00", "9:00\u201312:30": "09:00-12:30", "9.00 - 12h30": "09:00-12:30",
        "from 18:00": "from 18:00", "After 8:30": "from 08:30", "until 12:00": "until 12:00",
        "before 9.15": "until 09:15", "18:00-24:00": "18:00-24:00", "until 24:00": "until 24:00",
        "from 24:00": None, "until 00:00": None, "24:00-25:00": None, "16:00-14:00": None, "9:00-9:00": None,
        "14:60-16:00": None, "2-4 pm": None, "14-16": None, "14:00": None, "at 14:00-16:00 or later": None,
        "after six": None, "from 18:00 on Fridays": None, "14:00-16:00-18:00": None, "114:00-16:00": None,
    }),
    ("contact_channel", {
        "E-Mail": "email", "e mail": "email", "by email": "email", "via SMS": "sms", "emails": "email",
        "phones": "phone", "no sms": None, "email, not phone": None, "text messages": None, "smss": None,
        "newsletter": None, "email me": None, "e\u2011mail": None,
    }),
    ("clothing_size", {
        "xl": "XL", "X-L": "XL", "a M": "M", "Ms": None, "42": "42", "30": "30", "29": None, "65": None, "40.5": None,
        "40.0": "40", "size 42": None, "M or L": None, "M/L": None,
    }),
    ("shoe_size", {
        "42": "42", "9.5": None, "39,5": "39.5", "39.50": "39.5", "042": "42", "42.25": None, "15": "15", "60.5": None,
        "42 2/3": None, "42\u00bd": None, "10-12": None, "about 42": None, "42 EU": None, "size 42": None, "+42": None,
        "4\u00b2": None, "42.": None, ".5": None, "4e1": None, "4_2": None, "-42": None, "forty": None, "nan": None,
        "\u0664\u0662": "42", "42\u2044": None, "4 2": None,
    }),
    ("has_lift", {
        "yes": "yes", "TRUE": "yes", "1": "yes", "no": "no", "false": "no", "0": "no", "ja": None, "yes please": None,
        "on": None, "y": None, "none": None, "2": None,
    }),
    ("move_in_date", {
        "2027-03-01": "2027-03-01", " 2027-03-01 ": "2027-03-01", "2027-02-30": None, "20270301": None,
        "1.3.2027": None,
        "2027-3-1": None, "2027-03-01T10:00": None, "1803859200": None, "March": None, "2027-W10-1": None,
    }),
    ("email", {
        "sam@Example.org": "sam@example.org", "Sam@example.org": "Sam@example.org", "sam@example": None,
        "sam at example.org": None, "sam@example.org, ana@example.org": None, "sam@": None, "s am@example.org": None,
    }),
    ("phone", {
        "+49 30 1234567": "+49301234567", "+49 (0)30 / 123-4567": "+49301234567", "0049 30 1234567": "+49301234567",
        "(+44) 20 7946 0958": "+442079460958", "030 1234567": "0301234567", "(030) 12 34 56": "030123456",
        "0000 12345": "000012345", "00 1 111 111 1111": "0011111111111",
        "+999 1234567": None, "+49 30": None, "+49 30 123": "+4930123",
        "123": None, "call 030 1234567": None,
        "030 1234567 ext. 5": None, "1-800-FLOWERS": None, "030 1234567 or 1234568": None, "1234567890123456": None,
    }),
    ("preferred_name", {
        "  Dana  Q. ": "Dana Q.", "Da\u202ena": "Dana", "\u2066Dana\u2069": "Dana", "Da\u200bna": "Dana",
        "Da\u00adna": "Dana", "Da\u200dna": "Dana", "Da\x00na": "Da na", "Da\u2028na": "Da na",
        "\u200e \u200f": None, "O\u0301lafur": "\u00d3lafur", "O\u200b\u0301lafur": "\u00d3lafur",
        "O\u200d\u0301lafur": "\u00d3lafur",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937": "\u0915\u094d\u200d\u0937", "\u200d\u0915\u200c": "\u0915", "x" * 1001: None,
        "\ud800": None,
    }),
    ("allergy", {"Pea\u200dnuts": "Peanuts", "x" * 201: None}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "said", "stored"), [(n, s, v) for n, table in NAMED for s, v in table.items()])
def test_values_are_read_whole_or_not_at_all(name: str, said: str, stored: str | None) -> None:
    """Each type takes its canonical writings and near forms of them; of anything longer no part is taken."""
    read = SCHEMA[name].read(said)
    assert (read and read[0]) == stored


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("1,000", None), ("1.000", None), ("12,345", None), ("1.500", None), ("1.125", "1.125"), ("0,125", "0.125"),
        ("0.500", "0.5"), ("1000", "1000"), ("1234.567", "1234.567"), ("1,000.5", None), ("-0", "0"), ("-0.0", "0"),
        ("\u22122,50", "-2.5"), ("0.0000001", "0.0000001"), ("999999999999999", "999999999999999"), ("9" * 16, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [Decimal, float])
def test_a_thousand_is_never_one(kind: Any, said: str, stored: str | None) -> None:
    """Where a separator may be of thousands or of decimals, the number can't be read; all others are exact."""
    assert declared(kind).canonical(said) == stored


def test_pydantic_has_the_last_word() -> None:
    """Constraints and validators in a field's annotation hold; what Decimal's arithmetic can't decide is refused."""
    assert declared(Annotated[str, Field(max_length=3)]).canonical("abcd") is None
    assert declared(Annotated[str, AfterValidator(str.upper)]).canonical("abc") == "ABC"
    tiny = declared(Annotated[Decimal, MultipleOf(Decimal("0.000000000000001"))])
    assert tiny.canonical("999999999999999") is None  # 30 digits of a quotient are too many for Decimal


def test_types_are_pydantic_types() -> None:
    """The declared model is a model: it takes values, and knows its JSON schema."""

    class German(Phone):
        region = "DE"

    class Told(BaseModel):
        window: TimeRange
        phone: German

    told = Told.model_validate({"window": "9:00-12:00", "phone": "030 1234567"})
    assert (told.window, told.phone) == (TimeRange("09:00", "12:00"), "+49301234567")
    assert Told.model_validate_json(told.model_dump_json()) == told == Told(window=told.window, phone=told.phone)
    assert Told.model_json_schema()["properties"]["window"]["type"] == "string"
    assert declared(German).canonical("030 1234567") == "+49301234567"
    for start, end in ((None, None), ("9:00", None), ("12:00", "12:00"), (None, "00:00"), ("24:00", None)):
        with pytest.raises(ValueError, match="no range"):
            TimeRange(start, end)


def _bad(kind: Any, **told: Any) -> Callable[[], Any]:
    return lambda: declared(kind, Remember("It.", **told))


class Checked(BaseModel):
    """A validator that nobody would ask."""

    it: Annotated[str, Remember("It.")]

    @field_validator("it")
    @classmethod
    def upper(cls, value: str) -> str:
        return value.upper()


INSIDE: Any = Annotated[str, Remember("It.")]
WRONG: dict[str, Callable[[], Any]] = {
    "One.it needs one Remember": lambda: schema_of(create_model("One", it=(str, ...))),
    "One.it needs one": lambda: schema_of(create_model("One", it=(list[INSIDE], ...))),
    "One.it: <class 'bytes'> can't be remembered": _bad(bytes),
    "One.it: <class 'datetime.datetime'> can't": _bad(datetime),
    r"One.it: typing.Literal\[1, 2\] can't": _bad(Literal[1, 2]),
    r"One.it: list\[str\] can't": _bad(list[list[str]]),
    "One.it: <class 'list'> can't": _bad(list),
    "One.it: a list can't be in a union": _bad(list[str] | bool),
    "One.it: a list can't .* have bounds": _bad(Annotated[list[str], Field(max_length=3)]),
    "One.it: only numbers and dates have bounds": _bad(Annotated[Literal["a"] | int, Field(ge=3)]),
    "One.it: two options can't be told apart": _bad(Literal["in store", "In_Store"]),
    r"One.it: Remember\(options=...\) explains \['c'\]": _bad(Literal["a", "b"], options={"a": "x", "c": "y"}),
    r"One.it: Remember\(options=...\) explains \['yes'\]": _bad(bool, options={"yes": "x"}),
    r"One.it: Remember\(same=...\) is for free text": _bad(list[Literal["a"]], same="x"),
    "One.it: str reads whatever comes": _bad(str | bool),
    "One.it: no yes | no: 'ja'": _bad(bool, examples=("yes", "ja")),
    "it: 'boss' has no authority": _bad(str, authority=(("boss",),)),
    "Checked: its validators": lambda: schema_of(Checked),
}


@pytest.mark.parametrize("why", WRONG)
def test_what_cannot_be_remembered_is_refused(why: str) -> None:
    """At the declaration, with the names of model and field."""
    with pytest.raises((TypeError, ValueError), match=why):
        WRONG[why]()


def test_a_retailers_sixty_preferences() -> None:
    """Whatever a retailer remembers, its values are read as they are stored, and so is another writing of each."""
    preferences = schema_of(Preferences)
    assert len(preferences) == len(WRITTEN) == 60
    wrong = {}
    for name, attribute in preferences.items():
        first, second, *_ = attribute.examples
        read = [attribute.canonical(value) for value in (first, second, WRITTEN[name])]
        if read != [first, second, first]:
            wrong[name] = read
    assert wrong == {}


# Any text, and text made of what readers look for and of what is hard in Unicode.
PIECES = st.sampled_from([
    *"0123456789.,:-+ /()@hx", "00", "12:00", "from ", "until ", "before ", "morning", "s", "ly", "the ", "in ",
    "yes", "M", "XL", "2027-", "-01", "\u2013", "\u200d", "\u200c", "\u202e", "\u00ad", "e", "\u0301", "\u0327",
    "\u0915", "\u094d", "\u093c", "\u0645", "\u0662", "\u00bd", "\u00b2", "\ud800", "\x00", "\u1100", "\u1161",
    "\u00df", "\u0130", "a@b.org", "example.org", "\u30fb", "\uff0e",
])  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(PIECES).map("".join))


@given(TEXTS)
def test_reading_never_fails_and_repeats_itself(said: str) -> None:
    """Whatever text comes, each type reads or refuses it, and what was read is read as itself, with the same key."""
    for attribute in ALL.values():
        read = attribute.read(said)
        if read is not None:
            assert attribute.canonical(read[0]) == read[0]
            assert attribute.read(read[0]) == read
            assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in read[0])
            assert not set("\u202e\u00ad") & set(read[0])


@given(st.integers(0, 10**6), st.sampled_from(["", ".5", ",5", ".25"]), st.text("0123456789 .,/-+½²eE", min_size=1))
def test_no_part_of_a_number_is_taken(whole: int, part: str, more: str) -> None:
    """With anything more beside it, a number is read as the whole of that, or not at all."""
    number = declared(Decimal)
    for said in (f"{whole}{part}{more}", f"{more}{whole}{part}"):
        if (read := number.canonical(said)) is not None:
            assert Decimal(read) == Decimal(said.replace(",", "."))


@given(st.sampled_from(["morning", "evening"]), st.text(max_size=8), st.text(max_size=8))
def test_no_word_around_an_option_is_overlooked(name: str, before: str, after: str) -> None:
    """What is read as an option holds nothing but its name, an ending, and words that mean nothing."""
    if declared(Literal["morning", "evening"]).canonical(f"{before} {name}{after}") == name:
        left = set(f"{before} {after}".casefold().replace("_", " ").replace("-", " ").split())
        visible = {"".join(c for c in word if unicodedata.category(c) not in ("Cc", "Cf")) for word in left}
        assert visible <= {"", "a", "an", "the", "in", "on", "at", "by", "via", "with", "as", "per", "s", "es", "ly"}


# What is compared where an attribute asks for a form of its own.

EMPLOYER = Attribute("employer", "Who they work for.", same="the firm's name")
BOTH = {**SCHEMA, "employer": EMPLOYER}


def said(value: str | None, same: str | None, source: str = "m1", name: str = "allergy", **more: Any) -> Statement:
    """An admitted statement of the customer."""
    claim = Claim(name, value, "", same=same, **more)
    statement = admit(claim, Source(source, "user", "customer", None, NOW), 0, BOTH)
    assert isinstance(statement, Statement)
    assert slot_of(claim, BOTH) == (statement.slot, statement.key)
    return statement


def test_same_is_what_is_compared() -> None:
    """The wording is shown, the form decides the slot; without a form, or where none is asked for, the wording does."""
    assert SCHEMA["allergy"].read("Peanuts", " Pea\u200bnut ") == ("Peanuts", "peanut")
    assert SCHEMA["preferred_name"].read("Sam", "samuel") == ("Sam", "sam")
    for nothing in (None, "", "\u200b", "x" * 201, "\ud800"):
        assert SCHEMA["allergy"].read("Peanuts", nothing) == ("Peanuts", "peanuts")
    assert SCHEMA["allergy"].read("", "peanut") is None
    first, second = said("Peanuts", "peanut"), said("peanut allergy", "Peanut", "m2")
    assert (first.slot, first.key, first.value) == ("allergy=peanut", "peanut", "Peanuts")
    assert (second.slot, second.value) == ("allergy=peanut", "peanut allergy")
    assert said("peanut", None).slot == "allergy=peanut"


def test_a_person_names_the_wording() -> None:
    """A value that somebody names counts under the form that its wording was last stated with."""
    evidence = [said("Peanuts", "peanut"), said("latex", None, "m2")]
    assert read_among(evidence, SCHEMA["allergy"], "peanuts") == ("peanuts", "peanut")
    assert read_among(evidence, SCHEMA["allergy"], "Peanut") == ("Peanut", "peanut")
    assert read_among(evidence, SCHEMA["allergy"], "milk") == ("milk", "milk")
    assert read_among(evidence, SCHEMA["allergy"], " ") is None


def test_a_settlement_names_the_wording() -> None:
    """A reviewer who chooses a side by what is shown adds no word of their own to it."""
    sides = (said("The ACME Inc.", "acme", "m1", "employer"), said("Globex", "globex", "m2", "employer"))
    desk = Source("s1", "operator", "desk", None, NOW, "ACME it is")
    statement = settlement("employer", (("m2", 0),), "the acme inc.", desk, sides, EMPLOYER, NOW)
    assert (statement.value, statement.key) == (None, None)
    assert settlement("employer", (("m2", 0),), "Initech", desk, sides, EMPLOYER, NOW).key == "initech"


def test_notes_carry_the_form() -> None:
    """What is compared survives the turn's notes."""
    readings = [Reading("m1", (Claim("allergy", "Peanuts", "Peanuts", same="peanut"),))]
    assert notes_to_readings(readings_to_notes(readings)) == readings


@pytest.mark.parametrize(
    ("name", "stated", "value", "moved"),
    [
        ("delivery_window", "in the evenings", "evening", "evening"),
        ("delivery_window", "abends", "evening", "evening"),
        ("delivery_window", "after six", "from 18:00", "from 18:00"),
        ("delivery_window", "between 2 and 4", "14:00-16:00", "14:00-16:00"),
        ("clothing_size", "2XL, please", "XXL", "XXL"), ("clothing_size", "extra large", "XL", "XL"),
        ("shoe_size", "size 42", "42", "42"), ("shoe_size", "42", "42", "42"), ("shoe_size", None, "39.5", "39.5"),
        ("contact_channel", "per Brief", "post", "post"), ("contact_channel", "", "sms", "sms"),
        ("shoe_size", "UK 8", "8", None), ("move_in_date", "soon", "soon", None),
    ],
)  # fmt: skip
def test_records_of_an_older_schema_move(name: str, stated: str | None, value: str, moved: str | None) -> None:
    """Stated words that a stricter type can't read move by what was read of them then; if that fails, not at all."""
    row = {"id": 1, "attribute": name, "stated": stated, "value": value, "key": value.casefold()}
    there = _moved(row, SCHEMA, {})
    assert (there and there["value"]) == moved
    assert there is None or (there["key"], there["slot"]) == (value.casefold(), name)


def test_the_form_moves_along() -> None:
    """A record keeps what it is compared by, under its attribute's new name too, and without its words."""
    row = {"id": 1, "attribute": "allergies", "stated": "Peanuts", "value": "Peanuts", "key": "peanut"}
    there = {"id": 1, "attribute": "allergy", "slot": "allergy=peanut", "value": "Peanuts", "key": "peanut"}
    assert _moved(row, SCHEMA, {"allergies": "allergy"}) == there
    bare = row | {"stated": None, "value": None}
    assert _moved(bare, SCHEMA, {"allergies": "allergy"}) == there | {"value": "peanut"}
    assert _moved(row | {"attribute": "preferred_name"}, SCHEMA, {}) == {
        "id": 1, "attribute": "preferred_name", "slot": "preferred_name", "value": "Peanuts", "key": "peanuts",
    }  # fmt: skip
