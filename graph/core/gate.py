"""Urgent or not: must this message be read before the reply, or may it wait for the background?"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from graph.core import phrases as p
from graph.core.phrases import phrases, plain, words
from graph.core.schema import Attribute, Schema

Live = Mapping[str, str | Collection[str]]
Why = Literal["correction", "retraction", "acceptance", "touches a live fact", "ordinary"]

READ = 3000  # characters read at either end: a pasted megabyte is not a correction, and the gate must stay cheap
SPAN = 5  # longest run of words that may be one value: "between 6 and 8 pm"
SHORT = 6  # words; in so short a message a bare number or letter can be the whole point: "43 now"

IDIOM, CORRECTION, RETRACTION, SAID = map(phrases, (p.IDIOMS, p.CORRECTIONS, p.RETRACTIONS, p.SAID))
SHIFT, CHANGE, CLOSING, NEGATION = map(phrases, (p.SHIFTS, p.CHANGES, p.CLOSINGS, p.NEGATIONS))
NO, ACCEPT, OFFER, KEEPING, KEPT = map(phrases, (p.NO, p.ACCEPTANCES, p.OFFERS, p.KEEPING, p.KEPT))
ERRAND, QUESTION, WH, SETTING, OPENER = map(phrases, (p.ERRANDS, p.QUESTIONS, p.WH, p.SETTING, p.OPENERS))
CONTRAST = re.compile(r"\w ?, ?(?:and |but |y |e |et |und |en )?(?:not|nicht|pas|no|non|nao|niet) (?!sure|that|yet|too|so\b)\w")
SENTENCE = re.compile(r"(?:[^.!?\n;]|\.(?=\w))*[.!?\n;]*")
WORD = re.compile(r"\w[\w'’+&/:.-]*\w|\w")


@dataclass(frozen=True, slots=True)
class Urgency:
    """True when urgent; `why` goes to the trace and to the report of the turn."""

    urgent: bool
    why: Why = "ordinary"

    def __bool__(self) -> bool:
        return self.urgent


def urgent(text: str, previous_assistant: str, live: Live, schema: Schema) -> Urgency:
    """Decide by tables of phrases and by what the schema knows: no model, about a millisecond.

    Urgent is (1) an explicit correction or retraction: its phrases in seven languages, "X, not Y", or a "no" that
    contradicts what the assistant said or puts something else in its place; (2) an acceptance, where the assistant's
    last message offers to keep or change something the schema knows, or proposes a value of it, and is no look-up or
    booking; (3) a statement that touches a live fact: it holds another value, which the attribute's reader or
    examples recognise, it denies the value held, it names the attribute by a cue and announces a change, or it turns
    ("actually", "lieber") while anything is live. A question is ordinary unless it asks to set something. When in
    doubt it says urgent: a needless reading costs a second, a missed correction is told back as truth.
    """
    text = text if len(text) <= 2 * READ else f"{text[:READ]}\n{text[-READ:]}"
    if _accepts(text, previous_assistant, schema):
        return Urgency(True, "acceptance")
    if _denies(text, previous_assistant, live, schema):
        return Urgency(True, "correction")
    for sentence in sentences(text):
        said, question = _bare(sentence), asks(sentence)
        if question == "asks":
            continue
        if RETRACTION.search(said) and not ERRAND.search(said):
            return Urgency(True, "retraction")
        if CORRECTION.search(said) or CONTRAST.search(said) or (SAID.search(said) and _about(sentence, schema)):
            return Urgency(True, "correction")
        if any(_touches(sentence, said, *fact) for fact in _facts(live, schema)):
            return Urgency(True, "touches a live fact")
        if live and not question and SHIFT.search(said) and not ERRAND.search(said):
            return Urgency(True, "touches a live fact")
    return Urgency(False)


def might_correct(text: str, live: Live, schema: Schema) -> bool:
    """For what memory has not read yet, where what came before it is not known: broader than `urgent`.

    True for whatever is urgent by itself, for a bare "yes" or "no", and for a statement that mentions anything the
    schema knows while something is live.
    """
    if urgent(text, "", live, schema):
        return True
    answer = _opened(text)
    if len(answer.split()) <= SHORT and (NO.match(answer) or ACCEPT.match(answer)) and not CLOSING.search(answer):
        return True
    return bool(live) and any(_about(s, schema) for s in sentences(text) if asks(s) != "asks")


def sentences(text: str) -> list[str]:
    return [s for m in SENTENCE.finditer(text) if (s := m[0].strip())]


def asks(sentence: str) -> Literal["asks", "requests", ""]:
    """Whether a sentence is a question, or a request that is put as one: "could you change it to …?"."""
    said = _opened(sentence)
    if not (sentence.rstrip("\"'”» )").endswith("?") or QUESTION.match(said)):
        return ""
    return "asks" if WH.match(said) or not SETTING.search(said) else "requests"


@lru_cache(maxsize=2048)
def mentions(sentence: str, attribute: Attribute) -> frozenset[str] | None:
    """The values of the attribute that the sentence holds (as compared); None if it does not mention it at all."""
    cue, known, closed = _reader(attribute)
    said = plain(sentence)
    found = {read[1] for m in known.finditer(said) if (read := attribute.read(m[0]))}
    cued = bool(cue.search(said))
    if closed:
        tokens = [m[0] for m in WORD.finditer(sentence)][:300]
        for size in range(1, SPAN + 1):
            runs = (" ".join(tokens[i : i + size]) for i in range(len(tokens) - size + 1))
            found |= {read[1] for run in runs if (read := attribute.read(run))}
        if not cued and len(tokens) > SHORT:
            found = {value for value in found if sum(c.isalpha() for c in value) > 2}
        found = {v for v in found if len(v) > 2 or v in map(plain, tokens)}
    return frozenset(found) if found or cued else None


def accepts(text: str, previous: str, schema: Schema) -> bool:
    """The customer says yes to the assistant's last message, or picks a value that it named."""
    start = _opened(" ".join(text.split()[:12]))
    if any(sign in text for sign in p.ACCEPTING_SIGNS):
        return True
    if NO.match(start) or re.match(r"(?:please )?(?:don'?t|do not|not)\b", start):
        return False
    if ACCEPT.match(start) or (len(text.split()) <= SHORT and ACCEPT.search(start) and not asks(text)):
        return True
    return not asks(text) and any(bool((mentions(text, a) or set()) & (mentions(previous, a) or set())) for a in schema.values())


def proposes(previous: str, schema: Schema) -> bool:
    """The assistant offers to keep or change something that the schema knows, or proposes a value of it."""
    said = sentences(previous)[-4:]
    for before, sentence in zip(["", *said], said, strict=False):
        if not (sentence.endswith("?") or OFFER.search(plain(sentence))):
            continue
        scope = sentence if _about(sentence, schema) or KEPT.search(plain(sentence)) else f"{before} {sentence}"
        bare = plain(scope)
        keeps, errand = bool(KEEPING.search(bare)), bool(ERRAND.search(bare))
        if (keeps and (_about(scope, schema) or KEPT.search(bare))) or (not errand and _valued(scope, schema)):
            return True
    return False


def _accepts(text: str, previous: str, schema: Schema) -> bool:
    return bool(previous) and accepts(text, previous, schema) and proposes(previous, schema)


def _denies(text: str, previous: str, live: Live, schema: Schema) -> bool:
    """A "no" that contradicts what the assistant said of the customer, or puts something else in its place."""
    start = IDIOM.sub(" … ", _opened(text))
    if not previous or not (no := NO.match(start)):
        return False
    after = start[no.end() :]
    first = " ".join(sentences(after)[:1])
    last = (sentences(previous) or [""])[-1]
    declines = OFFER.search(plain(last)) and (ERRAND.search(plain(last)) or not _about(last, schema))
    if not (rest := WORD.findall(p.FILLER.sub(" ", CLOSING.sub(" ", first)))):
        held = [plain(v) for value in live.values() for v in ([value] if isinstance(value, str) else value)]
        about = any(v in plain(previous) for v in held) or any(_about(previous, {n: schema[n]}) for n in live if n in schema)
        return about and not declines
    determiner = after[:1] == " " and not p.STARTS.match(after.strip())  # "no preference": no "no" at all
    return not determiner and not asks(first) and (len(rest) > 1 or _valued(first, schema) or rest[0].isdigit())


def _facts(live: Live, schema: Schema) -> Iterator[tuple[Attribute, frozenset[str]]]:
    for name, value in live.items():
        attribute = schema.get(name) or Attribute(name=name, description=name)
        values = [value] if isinstance(value, str) else value
        yield attribute, frozenset(read[1] for v in values if (read := attribute.read(v)))


def _touches(sentence: str, said: str, attribute: Attribute, held: frozenset[str]) -> bool:
    values = mentions(sentence, attribute)
    same = any(plain(h) in said for h in held) or bool(values and values & held)
    if same and not (values or frozenset()) - held:
        return bool(NEGATION.search(said))  # denies what is held: "mornings never work"
    if values:
        return True
    return values is not None and bool(CHANGE.search(said)) and not ERRAND.search(said)


def _about(text: str, schema: Schema) -> bool:
    return any(mentions(text, a) is not None for a in schema.values())


def _valued(text: str, schema: Schema) -> bool:
    """Holds a value that a reader recognises, or names an attribute whose values nobody can list."""
    return any((m := mentions(text, a)) is not None and (m or not _reader(a)[2]) for a in schema.values())


def _bare(text: str) -> str:
    return IDIOM.sub(" … ", plain(text))


def _opened(text: str) -> str:
    """Without the words people warm up with: "hi, well, so …"."""
    said = plain(text).strip().lstrip("¿¡ -–—,.…'\"")
    while (opener := OPENER.match(said)) and opener.end() < len(said):
        said = said[opener.end() :].lstrip("¿¡ -–—,.!…'\"")
    return said


@lru_cache(maxsize=512)
def _reader(attribute: Attribute) -> tuple[re.Pattern[str], re.Pattern[str], bool]:
    """(cues, known values, closed): a reader that refuses nonsense recognises values wherever it meets them."""
    cues = [plain(c).strip() for c in (*attribute.cues, attribute.name.replace("_", " ")) if c.strip()]
    stems = "|".join(rf"{re.escape(c)}\w{{0,{1 if len(c) <= 4 else 4}}}" for c in cues)
    return re.compile(rf"(?<!\w)(?:{stems})(?!\w)"), words(attribute.examples), attribute.canonical("zqx vblorf kwyj") is None
