"""The example's domain as types says what the one in use says, until it takes its place."""

import pytest

from graph import domain, domain_typed


def test_both_domains_agree() -> None:
    """Names, cues, authority and the facts of tools are the same; every example of one is a value of the other."""
    old, new = domain.SCHEMA, domain_typed.SCHEMA
    assert list(new) == list(old)
    for name, attribute in new.items():
        was = old[name]
        assert (attribute.cues, attribute.authority, attribute.many) == (was.cues, was.authority, was.many)
        assert (attribute.within_origin, attribute.between_origins) == (was.within_origin, was.between_origins)
        assert all(was.canonical(example) == example for example in attribute.examples)
    assert domain_typed.TOOL_FACTS == domain.TOOL_FACTS


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("delivery_window", "mornings", "morning"), ("delivery_window", "after 18:00", "from 18:00"),
        ("contact_channel", "by e-mail", "email"), ("clothing_size", "xxl", "XXL"), ("clothing_size", "40", "40"),
        ("clothing_size", "29", None), ("shoe_size", "39,5", "39.5"), ("shoe_size", "size 42", None),
        ("allergy", "tree  nuts", "tree nuts"), ("account_tier", "gold", "gold"),
    ],
)  # fmt: skip
def test_values_of_the_shop(name: str, value: str, read: str | None) -> None:
    """What the example's types make of values."""
    assert domain_typed.SCHEMA[name].canonical(value) == read
