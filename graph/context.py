"""Who is speaking, and how they like to be shown things. Identity comes from authentication, never from input."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field

from graph.core.words import Subject


class NoIdentity(PermissionError):
    """Nobody is authenticated. There is no default customer."""


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


def identify(runtime: Runtime[Context]) -> Subject:
    """The authenticated subject: from the server's authentication, else from the embedding application."""
    if runtime.server_info is not None and runtime.server_info.user is not None:
        return of_user(runtime.server_info.user)
    if runtime.server_info is None and isinstance(runtime.context, Caller):
        return runtime.context.subject
    raise NoIdentity(
        "Nobody is authenticated, and there is no default customer. On a server, sign in (see Authentication in the "
        "README); in plain Python, pass context=Caller(subject=Subject(tenant, user))."
    )


def of_user(user: Any) -> Subject:
    """Subject of a server's authenticated user: its `tenant` (set by our own authentication) and identity."""
    tenant = getattr(user, "tenant", None) or (user.get("tenant") if hasattr(user, "get") else None)
    if not tenant or not user.identity:
        raise NoIdentity("the authenticated user has no tenant or no identity; see graph/server/auth.py")
    return Subject(str(tenant), str(user.identity))


_speaking: ContextVar[tuple[Subject, str]] = ContextVar("speaking")


@contextmanager
def speaking(subject: Subject, thread: str) -> Iterator[None]:
    """Lets tools know whom they work for and where, out of the reach of what the model writes as arguments."""
    token = _speaking.set((subject, thread))
    try:
        yield
    finally:
        _speaking.reset(token)


def current_subject() -> Subject:
    """The customer a tool works for."""
    return _current()[0]


def current_thread() -> str:
    """The conversation a tool is called in."""
    return _current()[1]


def _current() -> tuple[Subject, str]:
    try:
        return _speaking.get()
    except LookupError as error:
        raise NoIdentity("tools run inside a turn of the assistant only") from error
