"""The offline demo model's tables: how customers of the example retailer put things. English only, no learning."""

import re
from dataclasses import dataclass


def words(*alternatives: str) -> re.Pattern[str]:
    """A pattern for any of the alternatives (written `one | another`) as whole words."""
    listed = "|".join(part.strip() for line in alternatives for part in re.split(r"\s\|\s", line))
    return re.compile(rf"\b(?:{listed})\b", re.IGNORECASE)


# -- where one thing said ends and the next begins

_NEXT = (
    r"(?:my|his|her|their|i|i'm|i've|he|she|they|we|you|please|it's|now|that|do|can|could|is|are|when|what|where|how)\b"
)
SENTENCE = re.compile(r"(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bDr\.)(?<=[.!?;\n])\s+", re.IGNORECASE)
CLAUSE = re.compile(
    rf"\s+[-\u2013\u2014]+\s+|,?\s+(?:but|while|whereas|although|though)\s+|,?\s+and\s+(?={_NEXT})"
    rf"|(?<!\bhi)(?<!\bhey)(?<!\bhello),\s+(?={_NEXT})",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"“„«][^\"”“»\n]{0,500}[\"”“»]")

# -- clauses that state nothing about the customer now

ASKS = re.compile(r"\?\s*$")
POLITE = words(
    "(?:can | could | would | will) you (?:please |kindly |just )?(?:change | set | update | switch | move | make"
    " | note | remember | save | put | store | correct | forget | remove | delete | erase | call me [A-Z] | use)"
)
SUPPOSES = words(
    "if i | if we | if my | what if | suppose | supposing | imagine | let's say | say i | maybe | might",
    "perhaps | hypothetically | i wish | were to | unless | in case | i wonder | thinking (?:of|about) | not sure",
    "don't know",
)
PAST = words(
    "used to | was | were | had | did | came | arrived | got | previously | formerly | back then | in the past | ago",
    "as a (?:child|kid) | last (?:week|month|year|time) | yesterday | until recently | before we moved",
)
ONCE = words(
    "(?:this|tomorrow|yesterday|last|next|every other) (?:morning|afternoon|evening|week|time|order)",
    "today | tonight | tomorrow | for now | this once | just once",
)
_RELATIVE = (
    "(?:sister|brother|mother|mom|mum|father|dad|wife|husband|partner|son|daughter|kid|child|baby|friend|neighbou?r"
    "|boss|colleague|flatmate|roommate|girlfriend|boyfriend|aunt|uncle|cousin|grand(?:ma|pa|mother|father)|boy|girl|dog|cat)"
)
OTHERS = words(
    rf"(?:my|his|her|their|our|a) (?:\w+ )?{_RELATIVE}(?:'s|s)? | he | she | they | he's | she's | they're | his | her",
    "their | the guy | someone | somebody | people | everyone | most customers",
)

# -- what a clause does to what is known

CORRECTS = words(
    "actually | correction | instead | rather than | sorry | i meant | i mean | changed? | switch | switched | update",
    "move | correct | wrong | mistake | not | no | from now on | any ?more | make it | make that | now | isn't",
)
FORGET = words(
    "(?<!don't )(?<!not )(?<!never )(?:forget|remove|delete|erase|drop|clear|wipe) | no longer | is gone | outgrew",
    "(?:don't|do not) (?:store|keep|save|remember)",
    r"(?:not|\w+n't) (?:[\w' ]+ )?(?:any ?more|any longer|after all)",
)
NEGATES = re.compile(  # the value right after this is the one that is not meant
    r"(?:\b(?:not|no longer|instead of|rather than|than|over|never|no|except|avoid|too|was|from|stop)|n't)\s+"
    r"(?:(?:in|on|by|via|the|an?|any|want|need|size|at|to|me|be|with|deliver|deliveries|wear|wearing|come|use|using"
    r"|contact|contacting|calling)\s+)*$",
    re.IGNORECASE,
)
YES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|sure|ok|okay|please do|go ahead|correct|exactly|right|that's right|sounds good|perfect"
    r"|absolutely|of course|do (?:it|that|so)|fine|great)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Pattern:
    """How one attribute is said. The first group that matched is the value.

    `states` finds it in a clause in which `cue` stands too. `bare` finds it in a short answer to a question with the
    `title`, and, where nothing else can be meant, in a short correction without any cue.
    """

    title: re.Pattern[str]
    cue: re.Pattern[str]
    states: re.Pattern[str]
    bare: re.Pattern[str]
    unmistakable: bool = False


def _pattern(title: str, cue: str, states: str, bare: str, *, unmistakable: bool = False) -> Pattern:
    anywhere = re.compile(states, re.IGNORECASE), re.compile(bare, re.IGNORECASE)
    return Pattern(words(title), words(cue), *anywhere, unmistakable)


_TIME = r"\d{1,2}(?:[:.]\d{2})?(?:\s?(?:[ap]\.?m\b\.?|o'clock|h\b))?"
_SHARP = r"(?:\d{1,2}[:.]\d{2}(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?(?:[ap]\.?m\b\.?|o'clock|h\b)|noon|midday)"
_WINDOW = (
    rf"((?:between|from)\s+(?:{_TIME}|noon)\s+(?:and|to|till|until)\s+(?:{_SHARP}|{_TIME})(?!\s*(?:days|working))"
    rf"|\d{{1,2}}(?:[:.]\d{{2}})?\s?(?:-|\u2013|to)\s?{_SHARP}|{_SHARP}\s?(?:-|\u2013|to)\s?{_SHARP}"
    rf"|(?:after|before|from|until|till|by|not before|no later than)\s+{_SHARP}"
    r"|(?<!good )\b(?:morning|afternoon|evening)(?=s?\b))"
)
_CHANNEL = r"(?:e-?mail|sms|text messages?|text|phone|telephone|letter|post)"
_LETTERS = r"(?:(?-i:X{0,3}[SL]|M|[2-5]XL)|extra[- ](?:small|large)|small|medium|large)"
_NUMBER = r"(?:(?:EU|UK|US)\s?)?\d{1,2}(?:[.,]5)?(?![\d:.,]*\d|\s*(?:pairs?|pm|am|%|euros?))"
_SIZED = (
    r"(?:size|sized|sizes|wear|wearing|take|am|i'm|is|are|it's|to|be|need|:)\s+"
    r"(?:(?:an?|now|actually|size|sized|in|about)\s+)*"
)
_NAME = (
    r"(?-i:(?!(?:I|It|The|Not|No|My|When|If|And|But|Please|Yes)\b)"
    r"[A-ZÀ-ÖØ-Þ][\w\u2019'-]*\.?(?: [A-ZÀ-ÖØ-Þ][\w\u2019'-]*)*)"
)
_NAME_IN_SMALL_LETTERS = (
    r"(?!(?:not|wrong|on|in|spelled|spelt|written|misspelled|incorrect|is|was|the|a|and)\b)"
    r"[^\W\d_]{2,20}(?=\s*(?:[.,!;]|$|\bnot\b))"
)
PATTERNS: dict[str, Pattern] = {
    "preferred_name": _pattern(
        "(?:my|your|what|preferred) name | call you",
        r"name | me | i | i'm | this",
        rf"\b(?:my(?: \w+)?|preferred) name(?:'s|\s+is|\s+should be|\s+to|\s+as|:)?\s+(?:(?:is|now|actually)\s+)*"
        rf"({_NAME}|{_NAME_IN_SMALL_LETTERS})|\b(?:call|address|refer to) me (?:as )?({_NAME})"
        rf"|\b(?:i go by|i'm called|am called|to be called|be addressed as|be known as)\s+({_NAME})"
        rf"|^(?:hi|hello|hey)\b[ ,!]*(?:i'm|i am|this is)\s+({_NAME})(?=[.,!]|$)",
        rf"({_NAME})",
    ),
    "delivery_window": _pattern(
        r"delivery window | delivery time | delivery slot | deliver\w*",
        r"deliver\w* | window | slot | parcels? | packages? | orders? | courier | driver"
        r" | drop(?:ped)? (?:it |them )?off | bring | arrive"
        r" | prefer\w* | suits? | works? (?:best|better|fine) | (?:is|are) (?:best|better)",
        _WINDOW,
        _WINDOW,
        unmistakable=True,
    ),
    "contact_channel": _pattern(
        "contact | contact channel | reach",
        r"contact\w* | reach | notif\w+ | updates? | in touch | hear from | write to | message me | prefer\w* | rather"
        r" | instead | best | better | channel | always | from now on | any ?more | only | please | just",
        r"\b(?:by|via|through|per|over|on|to|prefer\w*|rather|use|using|is|be|:|like|want|choose)\s+"
        rf"(?:(?:the|an?|getting|my)\s+)*({_CHANNEL})(?:s|\s+calls?)?\b"
        r"|\b(e-?mail|text|phone|ring|sms)(?:ing)?\s+me\b|\b(call) me (?=instead|rather|on my|by)"
        rf"|\b({_CHANNEL}|phone calls)s?\s+(?:is|are|works?|suits?|only|please|instead)\b|^({_CHANNEL})s?\W*$",
        rf"\b({_CHANNEL}|call(?! me))\b",
        unmistakable=True,
    ),
    "shoe_size": _pattern(
        "shoe size | shoes? | boots?",
        "shoes? | boots? | sneakers? | trainers? | sandals? | heels | footwear | feet | foot",
        rf"{_SIZED}({_NUMBER})|\b(?:shoes?|boots?|feet)\W+(?:size\W+)?({_NUMBER})",
        rf"\b({_NUMBER})\b",
    ),
    "clothing_size": _pattern(
        "clothing size | clothes size | shirt size | clothing",
        r"cloth\w* | (?:t-)?shirts? | dress(?:es)? | jackets? | trousers | tops? | sweaters? | coats? | wear | size",
        rf"{_SIZED}({_LETTERS})\b|\b(?:shirts?|clothes|clothing|tops)\W+(?:size\W+)?({_LETTERS})\b",
        rf"\b({_LETTERS})\b",
    ),
}

# -- allergies come as lists

ALLERGIC = re.compile(
    r"\b(?:allerg(?:ic|y)|intoleran(?:t|ce)|sensitive|react (?:badly |strongly )?)\s?to (.+)"
    r"|\bcan(?:'t|not) (?:eat|have|tolerate) (.+)|\ballerg(?:y|ies):\s*(.+)"
    r"|((?:[\w-]+(?:, | and | & | or ))*[\w-]+)\s+(?:allerg(?:y|ies)|intolerance)\b(?! to|:)",
    re.IGNORECASE,
)
LIST_ENDS = re.compile(
    r"\s+(?:because|so|since|which|when|as|by the way|too|also|please|any ?more|any longer|after all|either|now)\b.*"
    r"|[.!;(].*",
    re.IGNORECASE,
)
LIST_AND = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|plus)\s+|\s*&\s*", re.IGNORECASE)
FILLER = re.compile(
    r"^(?:(?:i|you|we|my|your|an?|the|this|that|to|both|all|also|any|some|have|has|had|got|with|is|of|about|no|known"
    r"|severe|bad|strong|mild|food|forget|remove|delete|please|on|from|can|now|actually|not|kinds of)\s+)+",
    re.IGNORECASE,
)
NOT_ALLERGENS = words(
    "it | that | them | anything | nothing | foods? | allergy | my | an? | the | no | any | this | severe | some",
    "much | more | everything | list | about",
)

# -- what the assistant offers to remember

PROPOSALS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:note|set|save|store|record|use|put) (?P<value>[^?]+?) (?:down )?as (?:your|an?) (?P<what>[^?]+?)\?",
        r"\b(?:change|set|update|switch|move) your (?P<what>[\w ]+?) to (?P<value>[^?]+?)\?",
        r"\b(?:note|record|save|remember) (?:your|an?|the) (?P<value>[\w ]+?) (?P<what>allergy)\?",
    )
)
