"""What the words around a value make of it: whose it is, who says so, whether it is said at all, with which sign."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from trusted_memory.facts.schema import Attribute
from trusted_memory.facts.words import Claim, Reason
from trusted_memory.reading import hedges as h
from trusted_memory.reading.gate import CONTRAST, CORRECTION, NEGATION, RETRACTION, SHIFT
from trusted_memory.reading.locate import TEXTS, Span
from trusted_memory.reading.phrases import STARTS, phrases, plain
from trusted_memory.reading.utterance import (
    NO,
    REQUEST,
    SELF,
    SENTENCE,
    SETTING,
    SOMEBODY,
    asks,
    mentions,
    opened,
    pleasantry,
    reader,
)

SUPPOSED, PAST, REPORTED = map(phrases, (h.SUPPOSED, h.PAST, h.REPORTED))
ORDER, CONTRASTED, AVERSE = map(phrases, (h.INSTRUCTIONS, h.CONTRASTS, h.AVERSIONS))
MACHINE = re.compile(r"https?://|<\||\[/?inst\b|\bsystem prompt\b", re.IGNORECASE)
CLAUSE = re.compile(
    r"[,;:()\u2013\u2014\n]| (?:but|and now|aber|sondern|mais|pero|sino|ma|bens\u00ec|mas|maar) ", re.IGNORECASE
)
SWITCHED = re.compile(r"\b(?:switch|chang|mov|went|wechsel|pass|cambi|mud|troc|overgestapt)\w*")
FROM, TO = re.compile(r"\b(?:from|von|de|du|da|van)$"), re.compile(r"\s*(?:to|zu|auf|nach|a|para|naar)\b")
OR = phrases("or | oder | ou | o | of")
TAG = re.compile(r", ?(?:ok|okay|alright|please|bitte|d'accord|vale|va bene|ta bem|goed)\s*\?$")
NEAR = 1_000  # characters before and behind a place: what is farther away in the same sentence says nothing of it


def sentence_around(text: str, place: Span) -> Span:
    """From the start of the sentence in which the place begins to the end of that in which it ends.

    Of a sentence without an end in sight, only what is near the place.
    """
    starts, ends = _sentence_spans(text)
    first, last = bisect_right(starts, place[0]) - 1, bisect_left(ends, place[1])
    start, end = starts[first] if first >= 0 else 0, ends[last] if last < len(ends) else len(text)
    near, far = place[0] - NEAR, place[1] + NEAR
    if start < near:
        start = max(near, text.find(" ", near, place[0]) + 1)
    if end > far:
        end = max(text.rfind(" ", place[1], far), place[1])
    return start, end


@lru_cache(maxsize=TEXTS)
def _sentence_spans(text: str) -> tuple[Sequence[int], Sequence[int]]:
    spans = [m.span() for m in SENTENCE.finditer(text) if m[0].strip()]
    return array("I", [a for a, _ in spans]), array("I", [b for _, b in spans])


def judge(claim: Claim, about_customer: bool, attribute: Attribute, text: str, place: Span) -> Claim:
    """The claim as this place in the text bears it, or with what is wrong with it."""
    here = _Place(text, place)
    if not about_customer or here.somebody_else():
        return replace(claim, found="about_somebody_else")
    if REPORTED.search(here.before):
        return replace(claim, found="derived")
    if ORDER.search(plain(text[max(0, here.start - 200) : here.end])) or MACHINE.search(claim.value or ""):
        return replace(claim, found="instruction")
    if reason := here.unsaid(claim, attribute):
        return replace(claim, found=reason)
    return here.meant(claim, attribute)


def takes_back(text: str, quote: Span, attribute: Attribute) -> Reason | None:
    """What is wrong with a withdrawal that names no value: asked, supposed, reported, somebody else's, or denied."""
    start, end = sentence_around(text, quote)
    said = plain(text[start:end])
    found = RETRACTION.search(said) or NEGATION.search(said)
    if found is None:
        return "quote_not_found"
    at = start + found.start() if len(said) == end - start else quote[0]
    here = _Place(text, (at, min(at + len(found[0]), end)))
    if here.somebody_else():
        return "about_somebody_else"
    if REPORTED.search(here.before):
        return "derived"
    asked = asks(here.raw) and not (REQUEST.match(opened(here.raw)) or TAG.search(here.sentence))
    if asked or NEGATION.search(here.clause):  # "did you forget my size?", "don't forget my size"
        return "quote_not_found"
    return here.unsaid(Claim(attribute.name, None, intent="retract"), attribute)


class _Place:
    """A value in its clause and its sentence, as phrases are compared."""

    def __init__(self, text: str, place: Span) -> None:
        self.text, self.place = text, place
        self.start, self.end = sentence_around(text, place)
        cuts = [self.start, *(self.start + m.end() for m in CLAUSE.finditer(text[self.start : place[0]]))]
        self.clause_start, self.first_clause = cuts[-1], len(cuts) == 1
        self.raw = text[self.start : self.end]
        self.sentence = plain(self.raw)
        self.before = plain(text[self.start : place[0]])
        self.after = plain(text[place[1] : self.end])
        self.clause = _without_answer(plain(text[self.clause_start : place[0]]).strip())

    def somebody_else(self) -> bool:
        """The clause has another person for its subject, and the customer is no part of it."""
        clause = f"{self.clause} {plain(self.text[slice(*self.place)])}{CLAUSE.split(self.after)[0]}".strip()
        if SELF.search(clause):
            return False
        follows = not self.clause and not SELF.search(self.sentence)  # "my boss, by the way, lives in Rome"
        return bool(SOMEBODY.match(clause) or (follows and SOMEBODY.match(self.sentence)))

    def unsaid(self, claim: Claim, attribute: Attribute) -> Reason | None:
        """A greeting, asked, supposed, past, or named only to be left behind."""
        if pleasantry(self.raw):
            return "quote_not_found"
        asked = asks(self.raw)
        wish = SETTING.search(self.sentence) or (reader(attribute)[2] and REQUEST.match(opened(self.raw)))
        if asked and not TAG.search(self.sentence) and (asked == "asks" or not wish):
            return "quote_not_found"
        if SUPPOSED.search(h.POLITELY.sub(" ", self.before)):
            return "quote_not_found"
        if claim.intent != "retract" and PAST.search(self.clause):
            return "quote_not_found"
        if CONTRASTED.search(" ".join(self.clause.split()[-4:])):
            return "quote_not_found"
        if claim.intent != "retract" and not attribute.many and self.one_of_several(attribute):
            return "quote_not_found"
        left = FROM.search(self.clause) and TO.match(self.after) and SWITCHED.search(self.sentence)
        return "quote_not_found" if left else None

    def one_of_several(self, attribute: Attribute) -> bool:
        """The clause leaves open which of two values it is: "mornings or evenings"."""
        clause = self.text[self.clause_start : self.place[1]] + CLAUSE.split(self.text[self.place[1] : self.end])[0]
        open_yet = reader(attribute)[2] and OR.search(plain(clause)) and not NEGATION.search(plain(clause))
        return bool(open_yet) and len(mentions(clause, attribute) or ()) > 1

    def meant(self, claim: Claim, attribute: Attribute) -> Claim:
        """With the sign that the words give the value, and the intent that they show, whatever the model made of it."""
        denied, averse = NEGATION.search(self.clause), AVERSE.search(self.clause)
        if denied and not averse:
            if not denied.start() and not self.first_clause and claim.intent != "retract":
                return replace(claim, found="quote_not_found")  # ", not 41" says what it is not, after what it is
            return replace(claim, intent="retract")
        if averse and reader(attribute)[2]:
            return replace(claim, intent="retract")
        takes_back = RETRACTION.search(self.sentence) or NEGATION.search(self.sentence)
        if claim.intent == "retract" and takes_back and not self._replaces():
            return claim
        explicit = bool(
            CORRECTION.search(self.sentence) or CONTRAST.search(self.sentence) or NO.match(opened(self.raw))
        )
        explicit = explicit or (claim.intent == "correct" and bool(SHIFT.search(self.sentence)))
        claim = replace(claim, intent="correct" if explicit else "state")
        return replace(claim, value=self._with_aversion()) if averse else claim

    def _replaces(self) -> bool:
        """The value comes after what is taken back: "forget my old number, the new one is 555"."""
        return not self.first_clause and not RETRACTION.search(self.clause) and not NEGATION.search(self.clause)

    def _with_aversion(self) -> str:
        """The words from the aversion on: "long e-mails" alone would say the opposite of "I hate long e-mails"."""
        words = self.text[self.clause_start : self.place[0]]
        found = next(m.start() for m in re.finditer(r"\S+", words) if AVERSE.match(plain(words[m.start() :])))
        return self.text[self.clause_start + found : self.place[1]]


def _without_answer(clause: str) -> str:
    """Without a "no" that answers rather than denies: "no it's size 9"."""
    answer = NO.match(clause)
    return clause[answer.end() :].strip() if answer and STARTS.match(clause[answer.end() :].strip()) else clause
