"""CHANGE ME: what this assistant remembers, who may say it, and which tool results are facts.

The worked example is an online retailer's assistant. A fork replaces this file, tools.py and prompts/, nothing else.
"""

import re
from collections.abc import Mapping

from trusted_memory import Attribute, Schema, SystemOfRecord, plain, schema

# As `plain` leaves them: lower case, without accents. "mañana" alone is tomorrow, "más tarde" is later.
_PARTS = {
    "morning": r"mornings?|am morgen|morgens|vormittags?|matins?|matinee|las? mananas?|mattin[ao]|manhas?"
    r"|ochtend(?:s|en)?|voormiddag",
    "afternoon": r"afternoons?|nachmittags?|apres-midi|(?<!mas )(?<!mais )tardes?|pomeriggio|namiddag|middag(?:s|en)?",
    "evening": r"evenings?|abends?|soirs?|soirees?|noches?|sera|serata|noites?|avond(?:s|en)?",
}
_PART = re.compile("|".join(rf"(?P<{part}>\b(?:{names})\b)" for part, names in _PARTS.items()))
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.h](\d{2}))?\s*(?:([ap])\.?m\b\.?|h\b|o'clock|uhr|heures?|uur)?")
# What a number is part of when it is no time of day, and no size.
_OTHER = re.compile(
    r"\s*(?:st|nd|rd|th|mm|cm|kg|weeks?|days?|months?|years?|minutes?|mins?|pairs?|pieces?|items?|euros?|pounds?|working"
    r"|business)\b|\s*[%€£$]|\s*(?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)
_FROM = re.compile(
    r"\b(?:after|from|past|later than|not before|ab|nach|a partir de|a partir das|apres|despues de las?|desde las?"
    r"|dalle|dopo le|depois das|vanaf|na)\s+(?:about |around )?(?=\d)"
)
_UNTIL = re.compile(
    r"\b(?:before|until|till|by|no later than|bis|vor|avant|jusqu'a|antes de las?|hasta las?|prima delle|fino alle"
    r"|antes das|ate as|voor|tot)\s+(?:about |around )?(?=\d)"
)


def delivery_window(value: str) -> str | None:
    """`morning`, `afternoon`, `evening`, or a time range as `14:00-16:00`; open ends as `from 18:00`, `until 12:00`."""
    text = plain(value).replace("midday", "noon").replace("noon", "12:00").replace("after12:00", "afternoon")
    if part := _PART.search(text):
        return part.lastgroup
    times = _times(text)
    if len(times) == 2 and times[0] < times[1]:
        return f"{times[0]}-{times[1]}"
    if len(times) == 1 and _FROM.search(text):
        return f"from {times[0]}"
    if len(times) == 1 and _UNTIL.search(text):
        return f"until {times[0]}"
    return None


def _times(text: str) -> list[str]:
    """Times of day as HH:MM. In "2 and 4 pm" the half of the day that is named last counts for both.

    Nobody delivers at night: without "am", hours from 1 to 6 are in the afternoon, and so is the end of "5 to 7".
    """
    found: list[str] = []
    half = ""
    for match in reversed(list(_CLOCK.finditer(text))):
        hour, half = int(match[1]), match[3] or half
        if half and hour <= 12 and (match[3] or not match[2]):
            hour = hour % 12 + (12 if half == "p" else 0)
        elif not half and 1 <= hour <= 6 and not match[1].startswith("0"):
            hour += 12
        if hour <= 24 and int(match[2] or 0) < 60 and not _OTHER.match(text, match.end()):
            found.insert(0, f"{hour:02}:{match[2] or '00'}")
    if not half and len(found) == 2 and found[1] < found[0] and int(found[1][:2]) <= 11:
        found[1] = f"{int(found[1][:2]) + 12}{found[1][2:]}"
    return found


_CHANNELS = {
    "post": r"post|letters?|briefe?|brieven|courrier|cartas?|letter[ae]|correio"
    r"|(?:regular|normal|paper|snail|postal) mail|(?:in|by) the mail",
    "email": r"e-?mails?|mails?|mailen|correos?|courriels?|posta elettronica",
    "sms": r"sms|texts?|texting|text messages?|messaggini?",
    "phone": r"(?:tele)?phone|calls?|calling|ring(?: me)?|anrufen?|anrufe|ruft?|telefon\w*|appel(?:s|ez|le|er)?"
    r"|llamadas?|llameme|llamen|chiamat[ae]|chiamare|ligue|ligar|bel|bellen|telefoon",
}


def contact_channel(value: str) -> str | None:
    """One of the channels we really have; anything else can't be read."""
    text = plain(value)
    return next((channel for channel, names in _CHANNELS.items() if re.search(rf"\b(?:{names})\b", text)), None)


_SIZE = re.compile(
    r"(?<![\w.,'\u2019])(?:\d{1,3}(?:[.,]\d|½)?|\d?x{0,3}[sl]|m|small|medium|large)(?![\w½]|[.,]\d|['\u2019]\w)",
    re.IGNORECASE,
)
_LETTERS = {"small": "S", "medium": "M", "large": "L", "2XS": "XXS", "2XL": "XXL", "3XL": "XXXL"}


def size(value: str) -> str | None:
    """A size without its unit: `42`, `9.5`, `M`, `XXL`."""
    match = next((m for m in _SIZE.finditer(value) if not _OTHER.match(value.casefold(), m.end())), None)
    if match is None:
        return None
    read = match[0].replace(",", ".").replace("½", ".5").upper()
    return _LETTERS.get(match[0].casefold()) or _LETTERS.get(read, read)


SCHEMA: Schema = schema(
    [
        Attribute(
            "preferred_name",
            "What the customer wants to be called.",
            cues=("name", "call me", "called", "address me"),
            examples=("Sam", "Ms. Ito"),
        ),
        Attribute(
            "delivery_window",
            "When deliveries should arrive: morning, afternoon, evening, or a time range.",
            canonical=delivery_window,
            cues=("deliver", "delivery", "deliveries", "drop off", "arrive", "bring", "window", "slot"),
            examples=("morning", "afternoon", "evening", "14:00-16:00"),
        ),
        Attribute(
            "delivery_address",
            "Where deliveries go. Only the account system can say it.",
            authority=(("tool:account",),),
            cues=("address", "moved", "street", "deliver to", "ship to"),
        ),
        Attribute(
            "contact_channel",
            "How we may contact the customer: email, phone, sms or post.",
            canonical=contact_channel,
            cues=("contact", "reach", "email", "e-mail", "phone", "call", "text", "sms", "post", "letter"),
            examples=("email", "phone", "sms", "post"),
        ),
        Attribute(
            "shoe_size",
            "The customer's own shoe size.",
            canonical=size,
            cues=("shoe", "shoes", "boots", "sneakers", "trainers", "size"),
            examples=("42", "9.5"),
        ),
        Attribute(
            "clothing_size",
            "The customer's own clothing size.",
            canonical=size,
            cues=("clothes", "clothing", "shirt", "jacket", "dress", "trousers", "wear", "size"),
            examples=("S", "M", "L", "XL", "40"),
        ),
        Attribute(
            "allergy",
            "Something the customer is allergic to; one value each.",
            many=True,
            within_origin="ask",
            cues=(
                "allergic",
                "allergy",
                "allergies",
                "allergist",
                "intolerant",
                "intolerance",
                "react to",
                "tolerate",
                "break out",
                "rash",
            ),
            examples=("peanuts", "latex"),
        ),
        Attribute(
            "account_tier",
            "The customer's tier. Only the account system can say it.",
            authority=(("tool:account",),),
            cues=("tier", "status", "gold", "silver", "platinum", "member", "membership", "upgrade"),
        ),
    ]
)


TOOL_FACTS: Mapping[str, SystemOfRecord] = {
    "look_up_account": SystemOfRecord("account", {"tier": "account_tier", "address": "delivery_address"}, "version"),
    "change_address": SystemOfRecord("account", {"address": "delivery_address"}, "version"),
}
