"""What a retailer may want to remember: sixty preferences as a fork would declare them, and how each may be written.

The examples of each are two values as they are stored; WRITTEN has another writing of the first.
"""

from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, EmailStr, Field

from trusted_memory.facts.declare import Remember as Is
from trusted_memory.facts.values import Phone, TimeRange

Letters = Literal["XXS", "XS", "S", "M", "L", "XL", "XXL", "XXXL"]
Often = Literal["never", "daily", "weekly", "monthly"]
Halves = Field(ge=15, le=60, multiple_of=0.5)


class BritishPhone(Phone):
    """A number without a country is British."""

    region = "GB"


# fmt: off
class Preferences(BaseModel):
    """Yes or no, choices, numbers, dates, times, names, free text, lists."""

    gift_wrap: Annotated[bool, Is("Wants gifts wrapped.", examples=("yes", "no"))]
    paper_invoice: Annotated[bool, Is("Wants invoices on paper.", examples=("yes", "no"))]
    has_lift: Annotated[bool, Is("There is a lift.", examples=("yes", "no"))]
    has_pets: Annotated[bool, Is("Lives with animals.", examples=("no", "yes"))]
    safe_place: Annotated[bool, Is("Parcels may be left at a safe place.", examples=("no", "yes"))]
    signature_needed: Annotated[bool, Is("Wants to sign.", examples=("yes", "no"))]
    eco_packaging: Annotated[bool | None, Is("Wants little packaging.", examples=("yes", "no"))] = None
    substitutes_welcome: Annotated[bool, Is("Takes a substitute.", examples=("no", "yes"))]
    newsletter: Annotated[bool, Is("Wants the newsletter.", examples=("no", "yes"), valid_for=timedelta(days=365))]
    of_age: Annotated[bool, Is("Is 18 or older.", authority=(("tool:account",),), examples=("yes", "no"))]

    delivery_window: Annotated[Literal["morning", "afternoon", "evening"] | TimeRange, Is(
        "When to deliver.", examples=("evening", "14:00-16:00"))]
    contact_channel: Annotated[Literal["email", "phone", "sms", "post"], Is(
        "How to reach.", options={"sms": "text messages", "phone": "calls"})]
    payment_method: Annotated[Literal["card", "invoice", "direct_debit", "gift card"], Is("How to pay.")]
    parcel_place: Annotated[Literal["front door", "garage", "neighbour", "parcel locker"], Is("Where to leave it.")]
    floor_access: Annotated[Literal["stairs", "lift", "ramp"], Is("The way up.")]
    form_of_address: Annotated[Literal["first name", "last name"], Is("How to address.")]
    clothing_size: Annotated[Letters | Annotated[int, Field(ge=30, le=64)], Is(
        "Own size.", examples=("XL", "40"))]
    jacket_size: Annotated[Letters, Is("Own jacket size.", examples=("M", "XXL"))]
    fit: Annotated[Literal["slim", "regular", "loose"], Is("How clothes should fit.")]
    coffee_roast: Annotated[Literal["light", "medium", "dark"], Is("Roast.")]
    coffee_grind: Annotated[Literal["whole beans", "filter", "espresso"], Is("Grind.")]
    milk: Annotated[Literal["whole", "semi-skimmed", "skimmed", "oat", "soy"], Is("Milk.")]
    bread_slicing: Annotated[Literal["sliced", "unsliced"], Is("Bread.")]
    wine_colour: Annotated[Literal["red", "white", "rosé"], Is("Wine.")]
    spiciness: Annotated[Literal["mild", "medium", "hot"], Is("How hot.")]
    newsletter_rhythm: Annotated[Often, Is("How often the newsletter comes.")]
    reminder_rhythm: Annotated[Often, Is("How often to remind.", within_origin="ask")]
    return_method: Annotated[Literal["pick-up", "drop-off", "in store"], Is("How returns go.")]
    display_currency: Annotated[Literal["EUR", "GBP", "USD"], Is("Currency of prices.")]
    units: Annotated[Literal["metric", "imperial"], Is("Units.")]

    shoe_size: Annotated[Decimal, Halves, Is("Own shoe size.", examples=("42", "39.5"))]
    child_shoe_size: Annotated[Decimal, Halves, Is("The child's shoe size.", examples=("27.5", "30"))]
    collar: Annotated[int, Field(ge=30, le=60), Is("Collar in cm.", examples=("41", "38"))]
    ring_size: Annotated[float, Field(gt=40, lt=80), Is("Ring, in mm.", examples=("54.4", "52"))]
    inside_leg: Annotated[int, Field(ge=50, le=110), Is("Leg in cm.", examples=("82", "76"))]
    household: Annotated[int, Field(ge=1, le=20), Is("How many people.", examples=("4", "1"))]
    floor: Annotated[int, Field(ge=-3, le=100), Is("Which floor.", examples=("-1", "12"))]
    budget: Annotated[Decimal, Field(gt=0, le=5000), Is("Euros a month.", examples=("250", "99.5"))]
    fridge_width: Annotated[Decimal, Field(ge=30, le=120), Is("Place in cm.", examples=("59.5", "60"))]
    glasses: Annotated[Decimal, Field(ge=-20, le=20, multiple_of=Decimal("0.25")), Is(
        "Dioptres.", examples=("-1.25", "2"))]

    move_in_date: Annotated[date, Is("When they move in.", examples=("2027-03-01", "2027-12-31"))]
    birthday: Annotated[date, Field(ge=date(1900, 1, 1)), Is("Born on.", examples=("1984-02-29", "2001-07-14"))]
    holiday_until: Annotated[date, Is("Away until.", examples=("2027-08-15", "2027-01-02"))]
    quiet_time: Annotated[TimeRange, Is("No calls then.", examples=("12:00-14:30", "from 20:00"))]
    at_home: Annotated[TimeRange, Is("At home then.", examples=("from 18:00", "until 12:00"))]
    pick_up_time: Annotated[TimeRange, Is("Fetches parcels then.", examples=("until 12:00", "18:00-24:00"))]

    email: Annotated[EmailStr, Is("E-mail.", examples=("sam@example.org", "j.ito+shop@example.co.jp"))]
    invoice_email: Annotated[EmailStr, Is("E-mail for bills.", examples=("Books@firm.example.com", "a@b.example.com"))]
    phone: Annotated[Phone, Is("Phone.", examples=("+493012345678", "0301234567"))]
    mobile: Annotated[BritishPhone, Is("Mobile.", examples=("+447400123456", "+12025550123"))]

    preferred_name: Annotated[str, Is("What to be called.", examples=("Ms. Ito", "Sam"))]
    pronouns: Annotated[str, Field(max_length=30), Is("Pronouns.", examples=("they/them", "she/her"))]
    company: Annotated[str, Is("Employer.", examples=("Ökoladen GmbH & Co. KG", "Brown's"))]
    door_code: Annotated[str, Field(pattern=r"^[0-9A-Z#]+$"), Is("Code of the door.", examples=("12#4A", "0815"))]
    courier_note: Annotated[str, Is("What couriers should know.", examples=("Bell is broken, knock", "2nd yard"))]

    allergy: Annotated[list[str], Is(
        "Allergic to.", within_origin="ask", look_twice=True, same="the thing itself", examples=("peanuts", "latex"))]
    favourite_brand: Annotated[list[str], Is("Likes to buy.", examples=("Ólafsdóttir", "3M"))]
    diet: Annotated[list[Literal["vegetarian", "vegan", "halal", "kosher", "gluten-free"]], Is("Eats.")]
    no_delivery_on: Annotated[list[date], Is("Days without delivery.", examples=("2027-12-24", "2027-05-01"))]
    phones_of_neighbours: Annotated[list[BritishPhone], Is("Neighbours.", examples=("+442079460958", "12345"))]
# fmt: on


WRITTEN = {
    "gift_wrap": "Yes", "paper_invoice": "true", "has_lift": "1", "has_pets": "NO", "safe_place": "False",
    "signature_needed": "YES", "eco_packaging": " yes ", "substitutes_welcome": "0", "newsletter": "No",
    "of_age": "True",
    "delivery_window": "in the evenings", "contact_channel": "by E-Mail", "payment_method": "Cards",
    "parcel_place": "at the front_door", "floor_access": "the stairs", "form_of_address": "First-Name",
    "clothing_size": "xl", "jacket_size": "m", "fit": "SLIM", "coffee_roast": "a light", "coffee_grind": "whole-beans",
    "milk": "Whole", "bread_slicing": "Sliced", "wine_colour": "RED", "spiciness": "mildly",
    "newsletter_rhythm": "Never", "reminder_rhythm": "NEVER", "return_method": "pick up", "display_currency": "eur",
    "units": "Metric",
    "shoe_size": "42.0", "child_shoe_size": "27,5", "collar": "041", "ring_size": "54,40", "inside_leg": "82.0",
    "household": "04", "floor": "\u22121", "budget": "250,00", "fridge_width": "59,5", "glasses": "-1,25",
    "move_in_date": " 2027-03-01", "birthday": "1984-02-29\n", "holiday_until": "\u200e2027-08-15",
    "quiet_time": "12.00 \u2013 14h30", "at_home": "after 18:00", "pick_up_time": "before 12:00",
    "email": "sam@EXAMPLE.org", "invoice_email": "Books <Books@firm.example.com>", "phone": "+49 (0)30 1234-5678",
    "mobile": "07400 123456",
    "preferred_name": "Ms.  Ito", "pronouns": "they/them\u200b", "company": "O\u0308koladen GmbH & Co. KG",
    "door_code": " 12#4A ", "courier_note": "Bell is broken,\nknock",
    "allergy": "\u202epeanuts", "favourite_brand": "O\u0301lafsdo\u0301ttir", "diet": "Vegetarians",
    "no_delivery_on": "2027-12-24 ", "phones_of_neighbours": "(020) 7946 0958",
}  # fmt: skip
