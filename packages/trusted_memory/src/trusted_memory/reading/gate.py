"""Urgent or not: must this message be read before the reply, or may it wait for the background?"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from trusted_memory.facts.schema import Attribute, Schema
from trusted_memory.reading import hedges
from trusted_memory.reading import phrases as p
from trusted_memory.reading.phrases import phrases, plain, words
from trusted_memory.reading.utterance import (
    ACCEPT,
    ERRAND,
    IDIOM,
    NO,
    OFFER,
    QUESTION,
    REQUEST,
    SHORT,
    WH,
    WORD,
    about,
    accepts,
    asks,
    bare,
    mentions,
    named_in,
    opened,
    proposes,
    reader,
    sentences,
    somebody_else,
    valued,
)

Live = Mapping[str, str | Collection[str]]
Why = Literal["correction", "retraction", "acceptance", "touches a live fact", "ordinary"]

READ = 2000  # characters read at either end: a pasted megabyte is not a correction, and the gate must stay cheap
CORRECTION, RETRACTION, SAID, SHIFT = map(phrases, (p.CORRECTIONS, p.RETRACTIONS, p.SAID, p.SHIFTS))
CHANGE, CLOSING, NEGATION, FIRST = map(phrases, (p.CHANGES, p.CLOSINGS, p.NEGATIONS, p.FIRST))
APPROVAL, DOUBT, ADDRESSED, POLITE, HABIT = map(phrases, (p.APPROVALS, p.DOUBTS, p.ADDRESSED, p.POLITE, p.HABITS))
MOVE, NEW, REPEAT, PAST, INSTEAD = map(phrases, (p.MOVES, p.NEW, p.REPEATS, hedges.PAST, p.INSTEAD))
TAIL = re.compile(
    r"(?:[,;\u2013\u2014]|\.\.\.) ?(?:(?P<but>but|aber|mais|pero|ma|mas|maar) |(?:so|and|und|et|y|e|en) )?",
    re.IGNORECASE,
)
CONTRAST = re.compile(
    r"\w ?, ?(?:and |but |y |e |et |und |en )?(?:not|nicht|pas|no|non|nao|niet) (?!sure|that|yet|too|so\b)\w"
)


@dataclass(frozen=True, slots=True)
class Urgency:
    """True when urgent; `why` goes to the trace and to the report of the turn."""

    urgent: bool
    why: Why = "ordinary"

    def __bool__(self) -> bool:
        return self.urgent


def urgent(text: str, previous_assistant: str, live: Live, schema: Schema) -> Urgency:
    """Decide by tables of phrases and by what the schema knows: no model, a few milliseconds.

    Urgent is (1) an explicit correction or retraction: its phrases in seven languages, "X, not Y", or a "no" that
    contradicts what the assistant said or puts something else in its place; (2) an acceptance, where the assistant's
    last message offers to keep or change something the schema knows, or proposes a value of it, and is no look-up or
    booking; (3) a statement that touches a live fact: it holds another value, which the attribute's reader or
    examples recognise, it denies the value held, it names the attribute by a cue and announces a change, it turns
    ("actually", "lieber") or the customers tell of themselves while anything is live. Ordinary are what is held, said
    again, other people's traits, what is about something of which nothing is held, errands, and questions that don't
    ask to set something. When in doubt it says urgent: a needless reading costs a second, a missed correction is told
    back as truth.
    """
    text = text if len(text) <= 2 * READ else f"{text[:READ]}\n{text[-READ:]}"
    previous_assistant = previous_assistant[-READ:]
    if _accepts(text, previous_assistant, schema):
        return Urgency(True, "acceptance")
    if _denies(text, previous_assistant, live, schema):
        return Urgency(True, "correction")
    for sentence in _parts(text):
        said, question = bare(sentence), asks(sentence)
        if live and MOVE.search(said) and not (question or PAST.search(said) or somebody_else(said)):
            return Urgency(True, "touches a live fact")
        if _contradicts(said, question, previous_assistant, live, schema):
            return Urgency(True, "correction")
        if question == "asks" and not _hopes(said):
            continue
        takes_back = RETRACTION.search(said)
        if takes_back and (not ERRAND.search(said) or (takes_back.start() < 12 and about(sentence, schema))):
            return Urgency(True, "retraction")
        if CORRECTION.search(said) or CONTRAST.search(said) or (SAID.search(said) and about(sentence, schema)):
            return Urgency(True, "correction")
        if somebody_else(said) or _repeats(sentence, said, live, schema):
            continue
        if any(_touches(sentence, said, *fact) for fact in _facts(live, schema)):
            return Urgency(True, "touches a live fact")
        turns = SHIFT.search(said) or _wishes(said) or _tells(said)
        if live and turns and not ERRAND.search(said) and not _elsewhere(sentence, said, live, schema):
            return Urgency(True, "touches a live fact")
    return Urgency(False)


def might_correct(text: str, live: Live, schema: Schema) -> bool:
    """For what memory has not read yet, where what came before it is not known: broader than `urgent`.

    True for whatever is urgent by itself, for a bare "yes" or "no", and for a statement that mentions anything the
    schema knows while something is live.
    """
    if urgent(text, "", live, schema):
        return True
    answer = opened(text)
    if len(answer.split()) <= SHORT and (NO.match(answer) or ACCEPT.match(answer)) and not CLOSING.search(answer):
        return True
    return bool(live) and any(about(s, schema) for s in sentences(text) if asks(s) != "asks")


def may_state(text: str, schema: Schema) -> bool:
    """Whether a message, other than in a question, speaks of anything that memory keeps."""
    return any(mentions(s, a) is not None for s in sentences(text) if not asks(s) for a in schema.values())


def _parts(text: str) -> Iterator[str]:
    """Sentences, cut where something else begins: "I moved to Calgary, can you look for fares?", "…, but thanks"."""
    for sentence in sentences(text):
        start, asked = 0, sentence.endswith("?")
        for tail in TAIL.finditer(sentence):
            rest = plain(sentence[tail.end() :])
            if len(sentence[start : tail.start()].split()) <= 2:
                continue
            if tail["but"] or REQUEST.match(rest) or (asked and QUESTION.match(rest)):
                yield sentence[start : tail.start()]
                start = tail.end()
        yield sentence[start:]


def _elsewhere(sentence: str, said: str, live: Live, schema: Schema) -> bool:
    """About something of which nothing is held."""
    if INSTEAD.search(said):
        return False
    named = named_in(sentence, schema)
    return bool(named) and not named & set(live) and not _holds(said, live, schema)


def _repeats(sentence: str, said: str, live: Live, schema: Schema) -> bool:
    """Names what is held, and nothing else, without turning from it: "the window, as always", "I'm a gold member"."""
    if NEGATION.search(said):
        return False
    lasting = HABIT.search(said) and not (SHIFT.search(said) or PAST.search(said))
    known = list(_facts(live, schema))
    if not REPEAT.search(said):  # "I'm a gold member": only where no other value can hide in the sentence
        known = [(a, v) for a, v in known if lasting and reader(a)[2] and all(len(value) > 2 for value in v)]
    if not any(_names(sentence, said, *fact) for fact in known):
        return False
    return all((mentions(sentence, a) or frozenset()) <= held for a, held in _facts(live, schema))


def _accepts(text: str, previous: str, schema: Schema) -> bool:
    return bool(previous) and accepts(text, previous, schema) and proposes(previous, schema)


def _denies(text: str, previous: str, live: Live, schema: Schema) -> bool:
    """A "no" that contradicts what the assistant said of the customer, or puts something else in its place."""
    start = IDIOM.sub(" … ", opened(text))
    if not previous or not (no := NO.match(start)):
        return False
    after = start[no.end() :]
    first = " ".join(sentences(after)[:1])
    last = (sentences(previous) or [""])[-1]
    declines = OFFER.search(plain(last)) or ERRAND.search(plain(last))
    if _repeats(first, plain(first), live, schema):
        return False
    if not (rest := WORD.findall(p.FILLER.sub(" ", CLOSING.sub(" ", first)))):
        return not declines and (about(previous, schema) or _holds(plain(previous), live, schema))
    determiner = after[:1] == " " and not p.STARTS.match(after.strip())  # "no preference": no "no" at all
    of_them = not declines and about(previous, schema)  # "Ireland, right?": "no, Iceland"
    enough = len(rest) > 1 or of_them or valued(first, schema) or rest[0].isdigit()
    return enough and not determiner and not asks(first)


def _contradicts(said: str, question: str, previous: str, live: Live, schema: Schema) -> bool:
    """Says something of its own right after the assistant told the customer something about the customer."""
    told = [t for t in sentences(previous)[-3:] if not ERRAND.search(plain(t))]
    them = any(
        (not t.endswith("?") and ADDRESSED.search(plain(t)) and about(t, schema)) or _holds(plain(t), live, schema)
        for t in told
    )
    if not them or (question and not DOUBT.search(said)) or ERRAND.search(said):
        return False
    named = named_in(said, schema)
    spoken_of = {name for t in told for name in named_in(t, schema)}
    new = named and not named & (spoken_of | set(live)) and not INSTEAD.search(said)
    if new or _repeats(said, said, live, schema):
        return False
    return bool(WORD.findall(p.FILLER.sub(" ", ACCEPT.sub(" ", CLOSING.sub(" ", said)))))


def _tells(said: str) -> bool:
    """Something lasting about themselves, or something that is not so: "I work nights", "I don't like that"."""
    if HABIT.search(said) or re.search(r"\bmy (?:\w+ ){1,3}(?:is|are)\b", said):
        return True
    return bool(FIRST.search(said)) and not CLOSING.search(said) and len(said.split()) > 4


def _hopes(said: str) -> bool:
    """A question that would change something: "can it be later from now on?"."""
    return bool(SHIFT.search(said)) and not (WH.match(opened(said)) or ERRAND.search(said))


def _wishes(said: str) -> bool:
    """A few words and a please, in whatever language the value is: nothing else tells what they are about."""
    start = opened(said)
    wish = POLITE.search(said) and len(said.split()) <= SHORT and not (ACCEPT.match(start) or NO.match(start))
    return bool(wish) and bool(WORD.findall(p.FILLER.sub(" ", POLITE.sub(" ", said))))


def _holds(said: str, live: Live, schema: Schema) -> bool:
    return any(_names(said, said, *fact) for fact in _facts(live, schema))


def _names(sentence: str, said: str, attribute: Attribute, held: frozenset[str]) -> bool:
    """A value that is held stands in the sentence, in these or in other words."""
    tokens = set(WORD.findall(said))
    return bool(
        words(h + s for h in held for s in ("", "s")).search(said)
        or (mentions(sentence, attribute) or frozenset()) & held
        or any(set(WORD.findall(value)) <= tokens for value in held)
    )


def _facts(live: Live, schema: Schema) -> Iterator[tuple[Attribute, frozenset[str]]]:
    for name, value in live.items():
        attribute = schema.get(name) or Attribute(name=name, description=name)
        values = [value] if isinstance(value, str) else value
        yield attribute, frozenset(read[1] for v in values if (read := attribute.read(v)))


def _touches(sentence: str, said: str, attribute: Attribute, held: frozenset[str]) -> bool:
    values, errand = mentions(sentence, attribute), bool(ERRAND.search(said))
    if (values or frozenset()) - held:
        return not (errand and asks(sentence))
    if _names(sentence, said, attribute, held):
        return bool(NEGATION.search(said)) or not (errand or APPROVAL.search(said))  # "mornings never work"
    if errand and not (values is not None and not reader(attribute)[2] and NEW.search(said) and FIRST.search(said)):
        return bool(values is not None and SHIFT.search(said) and FIRST.search(said) and not asks(sentence))
    if values is not None and (CHANGE.search(said) or FIRST.search(said)):
        return True
    return not reader(attribute)[2] and _resembles(said, held)


def _resembles(said: str, held: frozenset[str]) -> bool:
    """Spells a held name or address otherwise, or names a part of it: Danielle for Daniel, "41 Elm" for "14 Elm"."""
    known = {w for value in held for w in WORD.findall(plain(value))}
    tokens = WORD.findall(said)[:60]
    if len(tokens) <= SHORT and any(w.isdigit() for w in known) and any(w.isdigit() for w in tokens):
        return True  # "the house number is 41"
    names = {w for w in known if len(w) > 3}
    return any(get_close_matches(w, names, n=1, cutoff=0.67) for w in tokens if len(w) > 3)
