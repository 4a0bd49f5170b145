"""Whether a message really says what the model claims it says. Every claim comes out, with what is wrong with it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import islice

from trusted_memory.facts.schema import Attribute, Schema
from trusted_memory.facts.words import Claim, Intent, SourceKind
from trusted_memory.reading.gate import NEGATION, RETRACTION
from trusted_memory.reading.judge import judge, sentence_around, takes_back
from trusted_memory.reading.locate import PLACES, TEXTS, Span, derived, find_quote, quote_places
from trusted_memory.reading.phrases import phrases, plain
from trusted_memory.reading.utterance import accepts, asks, mentions, pleasantry, proposes, sentences
from trusted_memory.reading.values import place_value

LONGEST = 200  # characters of a value: what is longer is a text, not a fact
ANSWER = 2_000  # characters of a message in which an answer to the assistant's proposal is looked for
NOTHING = {"no", "none", "null", "nothing", "unknown", "n/a", "forget", "deleted", "removed"}
BEGINS = phrases(
    "from | since | as of | starting | next | tomorrow | ab | seit | nachste | nachsten | morgen | a partir"
    " | des | depuis | desde"
    " | a partir de | dal | dalla | da | vanaf | sinds"
)
ENDS = phrases(
    "until | till | through | for the | this | today | during | while | week | month | weekend | bis | diese | heute"
    " | jusque | jusqu' | cette | hasta | esta | fino | questa | ate | tot | deze"
)


@dataclass(frozen=True, slots=True)
class Numbered:
    """One message as the extractor sees it. Who sent it and when comes from the transcript, never from the model."""

    id: str
    kind: SourceKind
    observed_at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A claim as the model made it. `accepted`: the customer is said to have taken it from the assistant's"
    " message."""

    attribute: str
    value: str | None
    quote: str
    intent: Intent = "state"
    about_customer: bool = True
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    accepted: bool = False


def ground(said: Proposed, message: Numbered, before: Numbered | None, schema: Schema) -> Claim:
    """The claim with its exact quote and what the words allow; `found` names what is wrong with it.

    The quote must stand in this customer's message and the value must follow from it. `quote_not_found` also covers
    what the message does not state: what it asks, supposes, or tells of the past. A value that the words deny is a
    withdrawal of it, whatever the model made of it. `before` is the assistant's message just before, never a source:
    but the customer may have accepted a value that it proposes.
    """
    attribute = schema.get(said.attribute) or Attribute(said.attribute, said.attribute)
    claim = Claim(said.attribute, (said.value or "").strip() or None, said.quote.strip(), said.intent)
    own = _own_places(said.quote, message.text)
    if not own:
        places = find_quote(said.quote, message.text)
        agreed = None if places else _agreed(claim, message, before, attribute, schema)
        return agreed or replace(claim, found="derived" if places else "quote_not_found")
    claim = replace(claim, quote=message.text[slice(*own[0])])
    if claim.value is None or _takes_all_back(claim, attribute, message.text, own[0]):
        claim = replace(claim, value=None, intent="retract" if claim.value else claim.intent)
        return _withdrawal(claim, attribute, message.text, own[0], said.about_customer)
    if named := _named(claim, schema):  # the question, not an answer
        if claim.intent == "retract" and not named.many:  # "forget my shoe size", wherever the model puts it
            taken = replace(claim, attribute=named.name, value=None)
            return _withdrawal(taken, named, message.text, own[0], said.about_customer)
        return replace(claim, found="quote_not_found")
    if len(claim.value) > LONGEST:
        return replace(claim, found="unreadable_value")
    refused = None
    for quote, place in _places(claim.value, attribute, message.text, own):
        found = judge(
            replace(claim, quote=message.text[slice(*quote)]), said.about_customer, attribute, message.text, place
        )
        if not found.found:
            return _accepting(_dated(found, said, message), message, before, schema)
        refused = refused or found
    agreed = None if refused else _agreed(claim, message, before, attribute, schema)
    theirs = said.accepted or (before is not None and _stands_in(claim.value, attribute, before.text))
    return agreed or refused or replace(claim, found="not_accepted" if theirs else "quote_not_found")


def misquoted(said: Proposed, message: Numbered, schema: Schema) -> bool:
    """The quote stands in the message and states something, but the value is in other words: worth asking again."""
    attribute = schema.get(said.attribute) or Attribute(said.attribute, said.attribute)
    quotes = find_quote(said.quote, message.text)
    if said.value is None or not quotes or ground(said, message, None, schema).found != "quote_not_found":
        return False
    named = plain(said.value) == said.attribute.replace("_", " ")
    if not named and any(True for _ in _places(said.value, attribute, message.text, quotes)):
        return False
    claim = Claim(said.attribute, said.value, said.quote, said.intent)
    return judge(claim, said.about_customer, attribute, message.text, quotes[0]).found is None


def _own_places(quote: str, text: str) -> list[Span]:
    """The first places of a quote in the customer's own words."""
    return list(islice((place for place in quote_places(quote, text) if not derived(place, text)), PLACES))


def _places(value: str, attribute: Attribute, text: str, own: list[Span]) -> Iterator[tuple[Span, Span]]:
    """(quote, where the value stands in it): in the quote, else in its sentence, which then is the quote.

    Each place of the value is looked at once as either, and no more than the first few.
    """
    sentences = (_trimmed(text, sentence_around(text, quote)) for quote in own)
    for quotes in (own, dict.fromkeys(sentences)):
        seen: dict[Span, Span] = {}
        for quote in quotes:
            for place in islice(place_value(value, attribute, text, quote), PLACES):
                seen.setdefault(place, quote)
            if len(seen) >= PLACES:
                break
        yield from ((quote, place) for place, quote in islice(seen.items(), PLACES))


def _named(claim: Claim, schema: Schema) -> Attribute | None:
    """The attribute whose name the value is: the claim's own, or one that is no word of everyday ("shoe size")."""
    value = plain(claim.value or "")
    own = (a for a in schema.values() if a.name == claim.attribute or "_" in a.name)
    return next((a for a in own if value == a.name.replace("_", " ")), None)


def _takes_all_back(claim: Claim, attribute: Attribute, text: str, quote: Span) -> bool:
    """ "Please forget my shoe size": no value is named, so none that the model names can be meant."""
    sentence = text[slice(*sentence_around(text, quote))]
    nothing = claim.intent == "retract" or plain(claim.value or "") in NOTHING
    names_it = not attribute.many and mentions(sentence, attribute) == frozenset()
    said = bool(RETRACTION.search(plain(sentence)))
    return nothing and names_it and said and not _stands_in(claim.value or "", attribute, sentence)


def _withdrawal(claim: Claim, attribute: Attribute, text: str, quote: Span, about_customer: bool) -> Claim:
    """A withdrawal of all values, if the words take something back."""
    wrong = takes_back(text, quote, attribute) if claim.intent == "retract" else "quote_not_found"
    return replace(claim, found=wrong if wrong or about_customer else "about_somebody_else")


def _agreed(
    claim: Claim, message: Numbered, before: Numbered | None, attribute: Attribute, schema: Schema
) -> Claim | None:
    """The claim as an acceptance of the assistant's proposal: the value is in the proposal, the quote in the"
    " answer."""
    if claim.value is None or before is None or not _accepts(message, before, schema):
        return None
    whole = (0, len(before.text))
    proposed = [p for p in place_value(claim.value, attribute, before.text, whole) if not _denied(before.text, p)]
    if not proposed:
        return None
    quote = next(iter(find_quote(claim.quote, message.text)), None) or _trimmed(
        message.text, sentence_around(message.text, (0, 1))
    )
    return replace(claim, quote=message.text[slice(*quote)], intent="state", accepts=before.id)


def _accepting(claim: Claim, message: Numbered, before: Numbered | None, schema: Schema) -> Claim:
    """A customer who repeats the proposed value while accepting it accepts it all the same."""
    if claim.intent == "retract" or before is None or claim.value is None or not _accepts(message, before, schema):
        return claim
    attribute = schema.get(claim.attribute)
    return replace(claim, accepts=before.id) if attribute and _stands_in(claim.value, attribute, before.text) else claim


def _stands_in(value: str, attribute: Attribute, text: str) -> bool:
    return any(True for _ in place_value(value, attribute, text, (0, len(text))))


def _accepts(message: Numbered, before: Numbered, schema: Schema) -> bool:
    said = before.kind == "assistant"
    return said and proposes(before.text, schema) and accepts(message.text[:ANSWER], before.text, schema)


def _denied(text: str, place: Span) -> bool:
    start, _ = sentence_around(text, place)
    return bool(NEGATION.search(plain(text[start : place[0]])))


def states(message: Numbered, before: Numbered | None, schema: Schema) -> bool:
    """Whether it can hold a fact at all: a message that only asks, thanks or says goodbye needs no model."""
    own = any(asks(s) != "asks" and not pleasantry(s) for s in sentences(message.text))
    return own or (before is not None and _accepts(message, before, schema))


def speaks_of_time(text: str) -> bool:
    return any(_times(text))


@lru_cache(maxsize=TEXTS)
def _times(text: str) -> tuple[bool, bool]:
    """Whether the words speak of a beginning, and of an end."""
    words = plain(text)
    return bool(BEGINS.search(words)), bool(ENDS.search(words))


def _dated(claim: Claim, said: Proposed, message: Numbered) -> Claim:
    """Validity, where the words speak of time at all and what the model made of it can be."""
    may_begin, may_end = _times(message.text)
    begins = said.valid_from if may_begin else None
    if begins and begins <= message.observed_at:
        begins = None  # "I have lived in Leeds since May" is no announcement: it counts from when it was said
    ends = said.valid_until if may_end and said.valid_until else None
    if ends and (ends <= message.observed_at or (begins and begins >= ends)):
        return claim
    return replace(claim, valid_from=begins, valid_until=ends)


def _trimmed(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
