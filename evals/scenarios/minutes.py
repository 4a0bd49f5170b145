"""A made-up meeting of ninety minutes: who said what each minute, who took on what, and one correction."""

import random
from dataclasses import dataclass, field

PEOPLE = ("Dana", "Tomasz", "Priya", "Kofi", "Ingrid", "Marek", "Leila", "Hugo", "Aiko", "Bruno", "Sunita", "Owen")
TASKS = (
    "renew the carrier contract", "write the returns policy", "test the label printer", "draft the autumn newsletter",
    "clean up the size charts", "train the night shift", "count the winter stock", "move the spare parts shelf",
    "call the packaging supplier", "measure the loading dock", "publish the repair guide", "check the fire doors",
    "audit the gift cards", "map the delivery zones", "review the help pages", "order the floor markings",
)  # fmt: skip
CORRECTIONS = (
    "Correction to the action list: {new} will {task}, not {old}.",
    "Sorry, I got that wrong: {new} owns the action to {task} instead of {old}.",
    "One change before I forget it: the action to {task} is reassigned from {old} to {new}.",
    "Actually {new} takes over from {old} and will {task}.",
)
OPENINGS = (
    "Let us look at", "I spent most of yesterday on", "My worry is", "We keep coming back to", "The numbers behind",
    "Nobody has told the warehouse about", "The team in the south asked about", "I would like to hear more about",
    "What strikes me is", "The report says little about", "There was a long thread on", "Before we go on,",
)  # fmt: skip
TOPICS = (
    "the queue at the packing tables", "the parcels that come back unopened", "the price of cardboard",
    "the way labels peel off in the rain", "the second shift on Saturdays", "the search box on the site",
    "the photos of the winter coats", "the phone line in the mornings", "the gap between stock and shelf",
    "the pallets near the side entrance", "the wording of the delivery mails", "the lights in hall four",
    "the number of people who ask for invoices", "the route through the old town", "the new scanner at gate two",
)  # fmt: skip
REMARKS = (
    "it took {n} minutes longer than in spring, and people noticed",
    "about {n} customers wrote to us, most of them politely",
    "we measured it on {n} days and saw the same every time",
    "the vendor quoted {n} units a week, which is more than we can store",
    "out of {n} samples only a handful were any good",
    "it is {n} steps from the door to the table, and each one costs us",
    "if we do nothing it will cost us {n} hours a month",
    "I counted {n} boxes on the floor when I walked in this morning",
)
CLOSINGS = (
    "We should keep an eye on it.", "Let us hear what the others think.", "I have no answer to that yet.",
    "It is better than it was in May.", "That is all I have on this one.", "I can send the table round afterwards.",
    "Others see this differently, and that is fine.", "It is a small thing, but it adds up over a season.",
)  # fmt: skip
SLIPS = ("Sorry, I meant {n} parcels.", "Correction: it was {n} hours.", "Actually we counted {n} of them.")


@dataclass
class Meeting:
    """`minutes[n]` is what was said in minute n. `owners` are right at the end; `task` is the corrected one."""

    minutes: list[str]
    owners: dict[str, str] = field(default_factory=dict)
    task: str = ""
    old: str = ""
    new: str = ""


def meeting(seed: int, *, minutes: int = 90, characters: int = 72_000, corrected_at: int = 15) -> Meeting:
    """A meeting of so many characters. One of the actions taken on before is corrected in the minute given."""
    if minutes * 85 // 100 - (corrected_at + 2) < 7:
        raise ValueError(f"a meeting of {minutes} minutes has no room for its twelve actions: let it take 30 at least")
    dice = random.Random(seed)
    made = Meeting([""] * minutes)
    tasks = dice.sample(TASKS, 12)
    early = {minute: tasks[at] for at, minute in enumerate(sorted(dice.sample(range(2, corrected_at - 1), 5)))}
    rest = sorted(dice.sample(range(corrected_at + 2, minutes * 85 // 100), 7))
    late = {minute: tasks[5 + at] for at, minute in enumerate(rest)}
    made.task = dice.choice(tasks[:5])
    for minute in range(minutes):
        lines = [_remark(dice)]
        if task := (early | late).get(minute):
            made.owners[task] = dice.choice(PEOPLE)
            lines.append(f"{dice.choice(PEOPLE)}: Action: {made.owners[task]} will {task}.")
        if minute == corrected_at:
            made.old = made.owners[made.task]
            made.new = made.owners[made.task] = dice.choice([person for person in PEOPLE if person != made.old])
            told = dice.choice(CORRECTIONS).format(new=made.new, old=made.old, task=made.task)
            lines.append(f"{dice.choice(PEOPLE)}: {told}")
        if minute % 11 == 8:  # other corrections want to be kept, too
            lines.append(f"{dice.choice(PEOPLE)}: {dice.choice(SLIPS).format(n=dice.randrange(3, 900))}")
        while sum(map(len, lines)) < characters / minutes:
            lines.insert(dice.randrange(len(lines) + 1), _remark(dice))
        made.minutes[minute] = f"Minute {minute}.\n" + "\n".join(lines)
    return made


def _remark(dice: random.Random) -> str:
    remark = dice.choice(REMARKS).format(n=dice.randrange(3, 900))
    return f"{dice.choice(PEOPLE)}: {dice.choice(OPENINGS)} {dice.choice(TOPICS)}: {remark}. {dice.choice(CLOSINGS)}"


def owner_told(text: str, task: str) -> str | None:
    """Who has a task, as somebody would understand who reads the text from top to bottom; the later word counts."""
    owner = None
    for line in text.splitlines():
        if task not in line:
            continue
        line = line.removeprefix("customer: ")  # noqa: PLW2901 - our label, before the speaker
        said = line.partition(": ")[2] or line
        people = sorted((p for p in PEOPLE if p in said), key=said.index)
        if not people:
            continue
        owner = people[-1] if " reassigned from " in said else people[0]
    return owner
