"""Who is speaking, and in which conversation. Identity comes from authentication, never from input."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from trusted_memory.facts.words import Subject


class NoIdentity(PermissionError):
    """Nobody is authenticated. There is no default customer."""


class NoThread(ValueError):
    """A conversation needs a thread_id."""


def identify(runtime: Runtime[Any]) -> Subject:
    """The authenticated subject: from a server's authentication, else from the embedding application's context.

    In plain Python the context has an attribute `subject`, a Subject. On a server it is never asked: clients make it.
    Raises NoIdentity.
    """
    if runtime.server_info is not None and runtime.server_info.user is not None:
        return of_user(runtime.server_info.user)
    subject = getattr(runtime.context, "subject", None)
    if runtime.server_info is None and isinstance(subject, Subject):
        return subject
    raise NoIdentity(
        "Nobody is authenticated, and there is no default customer. On a server, sign in (see Authentication in the "
        "README); in plain Python, pass context=Caller(subject=Subject(tenant, user))."
    )


def identify_worker(runtime: Runtime[Any]) -> Subject:
    """The subject whose messages the background worker reads. Raises PermissionError for clients of a server."""
    if runtime.server_info is not None:
        raise PermissionError("the memory graph runs in the background only, started by the worker")
    return identify(runtime)


def of_user(user: Any) -> Subject:
    """Subject of a server's authenticated user: its `tenant` (set by our own authentication) and identity."""
    tenant = getattr(user, "tenant", None) or (user.get("tenant") if hasattr(user, "get") else None)
    if not tenant or not user.identity:
        raise NoIdentity("the authenticated user has no tenant or no identity; see graph/auth.py")
    return Subject(str(tenant), str(user.identity))


def thread_of(config: RunnableConfig) -> str:
    """The conversation of a run: its `thread_id`. Raises NoThread."""
    thread = (config.get("configurable") or {}).get("thread_id")
    if not thread:
        raise NoThread('pass the conversation: config={"configurable": {"thread_id": …}}')
    return str(thread)


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
    """The customer a tool works for. Raises NoIdentity outside a turn."""
    return _current()[0]


def current_thread() -> str:
    """The conversation a tool is called in. Raises NoIdentity outside a turn."""
    return _current()[1]


def _current() -> tuple[Subject, str]:
    try:
        return _speaking.get()
    except LookupError as error:
        raise NoIdentity("tools run inside a turn of the assistant only") from error
