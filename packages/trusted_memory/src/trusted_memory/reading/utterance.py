"""What a sentence does: whether it asks, accepts or proposes, and what of the schema it mentions. No model."""

import re
from functools import lru_cache
from typing import Literal

from trusted_memory.facts.schema import Attribute, Schema
from trusted_memory.reading import hedges
from trusted_memory.reading import phrases as p
from trusted_memory.reading.phrases import phrases, plain, words

SPAN = 5  # longest run of words that may be one value: "between 6 and 8 pm"
SHORT = 6  # words; in so short a message a bare number or letter can be the whole point: "43 now"

IDIOM, NO, ACCEPT, OFFER, CHECK = map(phrases, (p.IDIOMS, p.NO, p.ACCEPTANCES, p.OFFERS, p.CHECKS))
CLOSING, FILLER = phrases(p.CLOSINGS), p.FILLER
KEEPING, KEPT, ERRAND, QUESTION = map(phrases, (p.KEEPING, p.KEPT, p.ERRANDS, p.QUESTIONS))
WH, OPENER, SETTING, REQUEST = map(phrases, (p.WH, p.OPENERS, p.SETTING, p.REQUESTS))
PEOPLE, SELF = map(phrases, (hedges.PEOPLE, hedges.SELF))
SOMEBODY = re.compile(
    r"(?:(?:and|but|because|since|so|also|well|und|aber|weil|et|mais|y|pero|e|ma|en|maar) )?"
    r"(?:(?:my|our|his|her|their|the|a|an|mein\w*|unser\w*|sein\w*|mon|ma|mes|notre|nos|son|sa|ses|mis?|nuestr\w+|sus?"
    r"|(?:(?:il|la|i|le|o|a|os|as) )?(?:mi[oae]|miei|nostr\w+|suo|sua|meus?|minhas?|noss\w+|seus?|suas?)|mijn|onze|ons)"
    rf" (?:\w+ )?)?(?:{PEOPLE.pattern}|(?:his|her|their|sein\w*|leurs?) \w)"
)
FOR_SOMEBODY = re.compile(
    r"\b(?:for|fur|pour|para|per|voor) (?:my|our|her|his|a|mein\w*|unser\w*|mon|ma|mes|mis?|mi[oa]|o meu|a minha|mijn)"
    rf" (?:\w+ )?{PEOPLE.pattern}"
)
SENTENCE = re.compile(r"(?:[^.!?\n;]|\.(?=\w))*[.!?\n;]*")
WORD = re.compile(r"\w[\w'\u2019+&/:.-]*\w|\w")
APOSTROPHE = ("'", "\u2019")  # what stands behind one is no word of its own: "it's", "'s avonds"
LEAD = "¿¡ -\u2013\u2014,.!\u2026'\""


def sentences(text: str) -> list[str]:
    return [s for m in SENTENCE.finditer(text) if (s := m[0].strip())]


def asks(sentence: str) -> Literal["asks", "requests", ""]:
    """Whether a sentence is a question, or a request that is put as one: "could you change it to …?"."""
    said = opened(sentence)
    if not (sentence.rstrip("\"'”» )").endswith("?") or QUESTION.match(said)):
        return ""
    return "asks" if WH.match(said) or not (SETTING.search(said) or REQUEST.match(said)) else "requests"


@lru_cache(maxsize=256)
def mentions(sentence: str, attribute: Attribute) -> frozenset[str] | None:
    """The values of the attribute that the sentence holds (as compared); None if it does not mention it at all."""
    cue, known, closed = reader(attribute)
    said = plain(sentence)
    found = set() if closed else {read[1] for m in known.finditer(said) if (read := attribute.read(m[0]))}
    cued = bool(cue.search(said))
    if closed:
        tokens = [m[0] for m in WORD.finditer(sentence) if sentence[m.start() - 1 : m.start()] not in APOSTROPHE][:300]
        shortest: dict[str, str] = {}  # the words that each value was read from
        for size in range(1, SPAN + 1):
            for run in (" ".join(tokens[i : i + size]) for i in range(len(tokens) - size + 1)):
                if read := attribute.read(run):
                    shortest.setdefault(read[1], run)
        alone = cued or len(tokens) <= SHORT
        found |= {v for v, run in shortest.items() if not _vague(run) or (alone and plain(run) == v)}
    return frozenset(found) if found or cued else None


def _vague(word: str) -> bool:
    """ "43", "M" can mean anything."""
    return (len(word) <= 4 and not word.isalpha()) or len(word) <= 2


def accepts(text: str, previous: str, schema: Schema) -> bool:
    """The customer says yes to the assistant's last message, or picks a value that it named."""
    start = opened(" ".join(text.split()[:12]))
    if any(sign in text for sign in p.ACCEPTING_SIGNS):
        return True
    if NO.match(start) or re.match(r"(?:please )?(?:don'?t|do not|not)\b", start):
        return False
    if (
        ACCEPT.match(start)
        or ACCEPT.match(plain(text).lstrip(LEAD))
        or (len(text.split()) <= SHORT and ACCEPT.search(start) and not asks(text))
    ):
        return True
    return not asks(text) and any(
        bool((mentions(text, a) or set()) & (mentions(previous, a) or set())) for a in schema.values()
    )


def proposes(previous: str, schema: Schema) -> bool:
    """The assistant offers to keep or change something that the schema knows, or proposes a value of it."""
    said = sentences(previous)[-4:]
    for before, sentence in zip(["", *said], said, strict=False):
        if not (sentence.endswith("?") or OFFER.search(plain(sentence)) or CHECK.search(plain(sentence))):
            continue
        scope = sentence if about(sentence, schema) or KEPT.search(plain(sentence)) else f"{before} {sentence}"
        said_of = plain(scope)
        keeps, errand = bool(KEEPING.search(said_of)), bool(ERRAND.search(said_of))
        if keeps and (not errand or about(scope, schema) or KEPT.search(said_of)):
            return True
        if not errand and valued(scope, schema):
            return True
    return False


def somebody_else(said: str) -> bool:
    """Another person is the subject of a sentence, or whom it is for, and the customer takes no part in it."""
    first = said.partition(",")[0] if SOMEBODY.match(said) else said
    return (bool(SOMEBODY.match(said)) and not SELF.search(first)) or bool(FOR_SOMEBODY.search(said))


def named_in(text: str, schema: Schema) -> set[str]:
    """The attributes that the text speaks of."""
    return {name for name, a in schema.items() if mentions(text, a) is not None}


def about(text: str, schema: Schema) -> bool:
    return any(mentions(text, a) is not None for a in schema.values())


def valued(text: str, schema: Schema) -> bool:
    """Holds a value that a reader recognises, or names an attribute whose values nobody can list."""
    return any((m := mentions(text, a)) is not None and (m or not reader(a)[2]) for a in schema.values())


def opened(text: str) -> str:
    """Without the words people warm up with: "hi, well, so …"."""
    said = plain(text).strip().lstrip(LEAD)
    while (opener := OPENER.match(said)) and opener.end() < len(said):
        said = said[opener.end() :].lstrip(LEAD)
    return said


def pleasantry(text: str) -> bool:
    """Nothing but a greeting, thanks, a yes or a goodbye."""
    said = plain(text)
    for table in (CLOSING, OPENER, ACCEPT, FILLER):
        said = table.sub(" ", said)
    return not WORD.search(said)


def bare(text: str) -> str:
    """For looking markers up: plain, and without the idioms that only look like one."""
    return IDIOM.sub(" \u2026 ", plain(text))


@lru_cache(maxsize=512)
def reader(attribute: Attribute) -> tuple[re.Pattern[str], re.Pattern[str], bool]:
    """(cues, known values, closed): a reader that refuses nonsense recognises values wherever it meets them."""
    cues = [plain(c).strip() for c in (*attribute.cues, attribute.name.replace("_", " ")) if c.strip()]
    stems = "|".join(r"s?\s+".join(map(re.escape, c.split())) + rf"\w{{0,{1 if len(c) <= 4 else 4}}}" for c in cues)
    return (
        re.compile(rf"(?<!\w)(?:{stems})(?!\w)"),
        words(attribute.examples),
        attribute.canonical("zqx vblorf kwyj") is None,
    )
