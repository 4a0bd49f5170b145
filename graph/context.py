"""How somebody likes to be shown things. Who speaks comes from authentication, never from here."""

from pydantic import BaseModel, ConfigDict, Field

from trusted_memory import Subject


class Context(BaseModel):
    """What a client may choose for a run. Nothing here is trusted: no identity, no budgets, no models."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # A tag, not a text: it stands in our system message.
    language: str = Field(
        "",
        pattern=r"^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3})?$",
        description="Language to answer in (BCP 47); empty: the customer's own.",
    )


class Caller(Context):
    """The context in plain Python: the application that embeds the graph says who is speaking.

    A client of a server can't make one: LangGraph builds a plain Context from what clients send.
    """

    subject: Subject
