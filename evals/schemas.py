"""Schemas that only evaluations use: a traveller's assistant, and a broad one where anything personal has a place."""

import re
from collections.abc import Callable, Mapping

from trusted_memory.facts.schema import Attribute, Schema, schema, text
from trusted_memory.reading.phrases import plain


def choice(options: Mapping[str, str]) -> Callable[[str], str | None]:
    """A reader for a closed list: option → its words, `|` between them, in any language. Ambiguous is unreadable."""
    patterns = {
        option: re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(plain(w.strip())) for w in said.split('|'))})(?!\w)")
        for option, said in options.items()
    }

    def read(value: str) -> str | None:
        found = [option for option, pattern in patterns.items() if pattern.search(plain(value))]
        return found[0] if len(found) == 1 else None

    return read


SEATS = {
    "window": "window | fenster | fensterplatz | hublot | fenetre | ventana | ventanilla | finestrino | janela | raam"
    " | raamplaats | raamstoel",
    "aisle": "aisle | gang | gangplatz | couloir | allee | pasillo | corridoio | corredor | gangpad | gangplaats",
    "middle": "middle seat | the middle | mittelplatz | in der mitte | milieu | en medio | nel mezzo"
    " | no meio | midden",
}
MEALS = {
    "vegetarian": "vegetarian | veggie | vegetarisch | vegetarier | vegetarierin | vegetarien | vegetarienne"
    " | vegetariano | vegetariana",
    "vegan": "vegan | vegans | veganer | veganerin | vegane | vegetalien | vegano | vegana | veganistisch"
    " | plant-based",
    "pescatarian": "pescatarian | fish only | pescetarisch",
    "kosher": "kosher | koscher | casher | kasher | cacher | koosjer",
    "halal": "halal",
    "gluten-free": "gluten-free | gluten free | no gluten | coeliac | celiac | glutenfrei | sans gluten | sin gluten"
    " | senza glutine | sem gluten | glutenvrij",
    "lactose-free": "lactose-free | lactose free | dairy-free | dairy free | no dairy | laktosefrei | sans lactose"
    " | sin lactosa | senza lattosio | sem lactose | lactosevrij",
    "low-salt": "low-salt | low salt | low-sodium | low sodium | salzarm",
    "regular": "regular | standard | normal | meat | fish | chicken | everything | fleisch | viande | carne | vlees",
}
TIERS = {
    "basic": "basic",
    "silver": "silver | silber | argent | plata | argento | prata | zilver",
    "gold": "gold | oro | ouro | goud",
    "platinum": "platinum | platin | platine | platino | platina",
}


def _cues(*lines: str) -> tuple[str, ...]:
    return tuple(cue.strip() for line in lines for cue in line.split("|"))


TRAVEL: Schema = schema(
    [
        Attribute(
            "seat_preference",
            "Where the traveller likes to sit on a plane.",
            canonical=choice(SEATS),
            cues=_cues(
                "seat | sit | sitting | sitz | sitzplatz | platz | siege | place | asiento | posto | assento | stoel"
            ),
            examples=("window", "aisle"),
        ),
        Attribute(
            "meal",
            "What the traveller eats on board.",
            canonical=choice(MEALS),
            cues=_cues(
                "meal | food | eat | diet | essen | mahlzeit | esse | repas | mange | manger | comida | como | menu",
                "pasto | mangio | cibo | refeicao | maaltijd | eet | eten",
            ),
            examples=("vegetarian", "vegan", "kosher"),
        ),
        Attribute(
            "loyalty_tier",
            "Tier in the loyalty programme. Only the loyalty system can say it.",
            authority=(("tool:loyalty",),),
            canonical=choice(TIERS),
            cues=_cues("tier | status | loyalty | member | frequent flyer | miles programme"),
            examples=("silver", "gold"),
        ),
        Attribute(
            "passport_country",
            "Country that issued the traveller's passport.",
            between_origins="conflict",
            cues=_cues(
                "passport | citizen | citizenship | nationality | pass | reisepass | staatsburger"
                " | staatsangehorigkeit",
                "passeport | nationalite | citoyen | pasaporte | nacionalidad | ciudadano | passaporto | cittadinanza",
                "passaporte | nacionalidade | paspoort | nationaliteit",
            ),
            examples=("Germany", "Canada"),
        ),
        Attribute(
            "home_airport",
            "Airport the traveller usually leaves from.",
            cues=_cues(
                "home airport | airport | fly from | fly out of | flying from | flying out of"
                " | leave from | depart from",
                "based in | based near | live in | live near | living in | home base | moved to | closest to me",
                "flughafen | fliege ab | wohne | aeroport | pars de | habite | aeropuerto | vuelo desde | vivo",
                "aeroporto | parto da | abito | moro | luchthaven | vlieg vanaf | woon",
            ),
            examples=("JFK", "Munich"),
        ),
    ]
)


def _fact(name: str, description: str, *, many: bool = True) -> Attribute:
    return Attribute(name, description, many=many, canonical=text)


# No examples: a 1.5B model gives them back as values.
BROAD: Schema = schema(
    [
        _fact("name", "name of the customer, or what they want to be called", many=False),
        _fact("home", "city, address or country where they live", many=False),
        _fact("contact", "phone number, e-mail address; channels and hours that they welcome or don't"),
        _fact("household", "partner, children, people they live with"),
        _fact("pets", "their animals and the names of these"),
        _fact("work", "job, employer, working hours"),
        _fact("diet", "what they eat, or don't"),
        _fact("allergy", "what they are allergic to"),
        _fact("tastes", "what they like, dislike or prefer, also how to write to them"),
        _fact("sizes", "clothing, shoe or other sizes"),
        _fact("budget", "money they want to spend"),
        _fact("devices", "computer, phone, car, software, providers that they use"),
        _fact("order", "order numbers, and what is wrong with an order"),
        _fact("delivery", "how and when they want deliveries, or don't"),
        _fact("dates", "birthdays and anniversaries"),
        _fact("health", "conditions and medication"),
        _fact("plans", "what they have decided to do"),
        _fact("about", "anything else personal that stays true"),
    ]
)
