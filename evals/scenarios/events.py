"""The retailer's events: what customers say, what it claims, and in which order it arrives. Made by dice."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from evals.scenarios import sayings
from evals.scenarios.sayings import SINGLE

Kind = Literal["statement", "paraphrase", "correction", "chatter"]
LATE = 0.15  # share of the statements that arrive after later ones


@dataclass(frozen=True)
class Said:
    """One message of a customer. `value` is None where everything is taken back."""

    id: str
    customer: int
    at: datetime
    text: str
    kind: Kind
    attribute: str = ""
    value: str | None = None
    retracts: bool = False


@dataclass(frozen=True)
class Told:
    """What the assistant says just before: it has no authority, and `value` is none that the customer has stated."""

    id: str
    attribute: str
    value: str
    text: str


@dataclass
class Customer:
    """`arrivals` are the messages in the order in which they come, deliveries of the same one included."""

    number: int
    arrivals: list[Said | Told] = field(default_factory=list)
    redelivered: int = 0


@dataclass(frozen=True)
class Mix:
    """How many of each. What is left of `events` are first statements, changes, withdrawals and chatter."""

    events: int
    redeliveries: int
    paraphrases: int
    corrections: int

    @classmethod
    def of(cls, events: int) -> "Mix":
        """20,000 events hold 6,000 redeliveries, 2,000 paraphrases, 200 corrections; fewer, as many in proportion."""
        return cls(events, events * 3 // 10, events // 10, max(1, events // 100))


def customers(mix: Mix, seed: int, now: datetime, *, each: int = 10) -> list[Customer]:
    """All that happens, by customer. Corrections are said now, everything else in the ten days before."""
    dice = random.Random(seed)
    count = max(mix.corrections, mix.events // each)
    made = [_Maker(Customer(number), random.Random(dice.random()), now) for number in range(count)]
    kinds: list[str] = ["original"] * (mix.events - mix.redeliveries - mix.paraphrases - mix.corrections)
    kinds += ["paraphrase"] * mix.paraphrases
    dice.shuffle(kinds)
    for maker in made:  # everybody says something first, so that it can be said in other words
        maker.state()
        kinds.remove("original")
    for kind in kinds:
        maker = dice.choice(made)
        maker.paraphrase() if kind == "paraphrase" else maker.anything()
    for maker in made[: mix.corrections]:
        maker.corrected = True
    again = [0] * count
    for _ in range(mix.redeliveries):
        again[dice.randrange(count)] += 1
    return [maker.arrange(again[at]) for at, maker in enumerate(made)]


class _Maker:
    """Makes one customer's messages in the order in which they are said; then the order in which they arrive."""

    def __init__(self, customer: Customer, dice: random.Random, now: datetime) -> None:
        self.customer = customer
        self.dice = dice
        self.now = now
        self.clock = now - timedelta(days=10, seconds=dice.randrange(86_400))
        self.said: list[Said] = []
        self.holds: dict[str, str] = {}
        self.allergies: set[str] = set()
        self.settled: set[str] = set()  # attributes that were taken back once: nothing of theirs arrives late
        self.corrected = False

    def _add(
        self, text: str, kind: Kind, attribute: str = "", value: str | None = None, *, retracts: bool = False
    ) -> None:
        # 600 messages of one customer would still be said before now.
        self.clock += timedelta(seconds=self.dice.randrange(60, 1_200), microseconds=self.dice.randrange(1, 999_999))
        name = f"m-{self.customer.number}-{len(self.said)}"
        self.said.append(Said(name, self.customer.number, self.clock, text, kind, attribute, value, retracts))

    def anything(self) -> None:
        roll = self.dice.random()
        if roll < 0.25:
            self._add(self.dice.choice(sayings.CHATTER), "chatter")
        elif roll < 0.28 and self.holds:
            attribute = self.dice.choice(sorted(self.holds))
            del self.holds[attribute]
            self.settled.add(attribute)
            self._add(SINGLE[attribute].forgets, "statement", attribute, retracts=True)
        elif roll < 0.31 and self.allergies:
            value = self.dice.choice(sorted(self.allergies))
            self.allergies.remove(value)
            self._add(sayings.CURED.format(v=value), "statement", "allergy", value, retracts=True)
        elif roll < 0.5:
            self._allergy(sayings.ALLERGIC, "statement")
        else:
            self.state()

    def state(self) -> None:
        attribute = self.dice.choice(sorted(SINGLE))
        value = self.dice.choice([v for v in SINGLE[attribute].values if v != self.holds.get(attribute)])
        self.holds[attribute] = value
        self._add(self.dice.choice(SINGLE[attribute].states).format(v=value), "statement", attribute, value)

    def paraphrase(self) -> None:
        if self.allergies and (not self.holds or self.dice.random() < 0.3):
            self._allergy(sayings.ALLERGIC_AGAIN, "paraphrase", self.dice.choice(sorted(self.allergies)))
        elif self.holds:
            attribute = self.dice.choice(sorted(self.holds))
            words = self.dice.choice(SINGLE[attribute].again).format(v=self.holds[attribute])
            self._add(words, "paraphrase", attribute, self.holds[attribute])
        else:
            self._allergy(sayings.ALLERGIC_AGAIN, "paraphrase")

    def _allergy(self, words: Sequence[str], kind: Kind, value: str | None = None) -> None:
        value = value or self.dice.choice(sayings.ALLERGENS)
        self.allergies.add(value)
        self._add(self.dice.choice(words).format(v=value), kind, "allergy", value)

    def arrange(self, redeliveries: int) -> Customer:
        """Some late, some again, each twice; the assistant contradicts in between; a correction in the later half."""
        order = list(self.said)
        for message in self.said:
            if message.attribute in SINGLE and message.attribute not in self.settled and self.dice.random() < LATE:
                order.remove(message)
                order.insert(self.dice.randrange(len(order) + 1), message)
        if self.corrected:
            order.insert(self.dice.randrange((len(order) + 1) // 2, len(order) + 1), self._correction())
        again = [self.dice.choice(order) for _ in range(redeliveries)]
        for message in [*again, *order, *again]:
            first = order.index(message)
            order.insert(self.dice.randrange(first + 1, len(order) + 1), message)
        self.customer.redelivered = redeliveries
        self.customer.arrivals = list(self._contradicted(order))
        return self.customer

    def _correction(self) -> Said:
        attribute = self.dice.choice(sorted({m.attribute for m in self.said if m.attribute in SINGLE}))
        words = SINGLE[attribute]
        old = next((m.value for m in reversed(self.said) if m.attribute == attribute and m.value), words.values[0])
        value = self.dice.choice([v for v in words.values if v != old])
        text = self.dice.choice(words.corrects).format(v=value, o=old)
        return Said(f"m-{self.customer.number}-c", self.customer.number, self.now, text, "correction", attribute, value)

    def _contradicted(self, order: Sequence[Said]) -> Iterator[Said | Told]:
        for at, message in enumerate(order):
            if self.dice.random() < 1 / 3:
                attribute = self.dice.choice(sorted(SINGLE))
                stated = {m.value for m in order if m.attribute == attribute}
                # Not "phone": somebody who says "call me Ada" would have named it.
                if others := [v for v in SINGLE[attribute].values if v not in stated | {"phone"}]:
                    value = self.dice.choice(others)
                    text = sayings.TOLD.format(what=attribute.replace("_", " "), v=value)
                    yield Told(f"a-{self.customer.number}-{at}", attribute, value, text)
            yield message
