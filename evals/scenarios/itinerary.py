"""A made-up plan for a team's week away: an early change of region, then a long talk about everything else."""

import random
from dataclasses import dataclass, field

REGIONS = ("Tuscany", "Normandy", "Galicia", "Bavaria", "Styria", "Alentejo", "Jutland", "Wallonia")
# One sentence each: the scripted summarizer copies sentences, and knows no more of them than their words.
CHANGES = (
    "We changed our minds: the region is {new} instead of {old}.",
    "Sorry, not {old} after all: the region for the week is {new}.",
    "Correction: make the region {new}, {old} is too far for most of us.",
    "Actually the region moves from {old} to {new}, the others insist.",
)
WISHES = (
    "We are {n} people, and {m} of them prefer sharing a room to walking far in the evening.",
    "Dinner should be at a long table if there is one, at about {n} past seven, with {m} chairs to spare.",
    "Somebody asked whether there is a room for talks with {n} seats, a screen and blinds that close.",
    "The bus would need to hold {n} people and {m} bags, and the driver should know small roads.",
    "Let us keep {n} hours free on the third day, so that whoever wants to can swim or sleep.",
    "There will be {n} of us who start at six in the morning and {m} who would never do that.",
    "I would put the long walk on the second day: {n} kilometres at most, with {m} stops in the shade.",
    "For the workshop we want {n} sheets of thick paper, {m} markers and a wall that one may stick things to.",
    "Of all the things on the list, the boat for {n} is what people talk about most; the deposit is {m} euros.",
    "Please think of {n} vegetarian lunches a day and of {m} people who have their coffee without milk.",
)
ASIDES = (
    "I will ask around again this week and tell you what people say, but do not wait for it.",
    "Of all the things on the list this matters least, and yet people remember it for years.",
    "Last year we left it to chance and it went well, which is no reason to do it again.",
    "If it costs more than it did last time, tell me first, and I will see what can be done.",
    "Nobody expects miracles; a short note on how it could be done is enough for now.",
)
NOTED = (
    "I have added it to the notes and will look for two or three ways to do it. {question}",
    "That should be possible. I will put it next to the other wishes and come back to it. {question}",
    "Understood, this goes on the list with a remark on the cost. {question}",
)
QUESTIONS = (
    "Have you thought of {elsewhere}? It is quieter there in that season.",
    "Would a day trip to {elsewhere} be of interest to some of you?",
    "Is there anything that must not happen again after last year?",
    "Shall I ask the house for its prices in writing?",
)  # fmt: skip
SLIPS = ("Sorry, I meant {n} seats in the small room.", "Actually {n} of us come by train.")
FINAL = "Please write the final plan now, with the region in the first line."


@dataclass
class Itinerary:
    """`said` are the customer's messages in order, `replies` the assistant's. The right region is `new`."""

    old: str
    new: str
    said: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)


def itinerary(seed: int, *, turns: int, changed_at: int = 3) -> Itinerary:
    dice = random.Random(seed)
    old, new, *others = dice.sample(REGIONS, len(REGIONS))
    made = Itinerary(old, new)
    for turn in range(turns):
        lines = [dice.choice(WISHES).format(n=dice.randrange(4, 60), m=dice.randrange(2, 30)) for _ in range(3)]
        lines.append(dice.choice(ASIDES))
        if turn == 0:
            lines.insert(0, f"Help me plan a week away for the team. The region is {old}.")
        if turn == changed_at:
            lines.insert(dice.randrange(len(lines)), dice.choice(CHANGES).format(old=old, new=new))
        if turn % 12 == 7:  # other corrections want to be kept, too
            lines.append(dice.choice(SLIPS).format(n=dice.randrange(4, 60)))
        made.said.append(" ".join(lines))
        question = dice.choice(QUESTIONS).format(elsewhere=dice.choice([*others, old]))
        made.replies.append(dice.choice(NOTED).format(question=question))
    return made


def region_told(text: str) -> str | None:
    """The region that the customer wants, as somebody understands who reads from top to bottom."""
    region = None
    for sentence in text.replace(". ", ".\n").splitlines():
        if "region" in sentence.casefold() and not sentence.startswith("assistant"):
            wanted = sentence.partition("instead of")[0].partition(" is too far")[0]
            named = sorted((r for r in REGIONS if r in wanted), key=wanted.index)
            if "make the region" in wanted:
                named = named[:1]
            region = named[-1] if named else region
    return region
