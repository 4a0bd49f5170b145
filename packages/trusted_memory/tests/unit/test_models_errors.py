"""What other providers' errors mean, told by LangChain's common classes, httpx's, or what a class is called."""

import httpx
import psycopg
import pytest
from langchain_core import exceptions as common

from trusted_memory.models.errors import (
    BadOutput,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
    as_ours,
    meaning,
)


def named(name: str, *, of: type[Exception] = Exception, **told: object) -> Exception:
    """An error of a provider's own class."""
    error: Exception = type(name, (of,), {})("on purpose")
    for key, value in told.items():
        setattr(error, key, value)
    return error


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


MEANINGS: list[tuple[Exception, type[ModelError]]] = [
    (common.ModelConnectionError("x"), ModelUnreachable),
    (common.ModelTimeoutError("x"), ModelTimeout),
    (common.ModelRateLimitError("x"), ModelRefused),
    (httpx.ConnectError("x"), ModelUnreachable),
    (httpx.RemoteProtocolError("x"), ModelUnreachable),
    (httpx.ReadTimeout("x"), ModelTimeout),
    (httpx.ConnectTimeout("x"), ModelUnreachable),
    (caused(named("APITimeoutError"), httpx.ConnectTimeout("x")), ModelUnreachable),
    (named("APITimeoutError", of=named("APIConnectionError").__class__), ModelTimeout),
    (named("APIConnectionError"), ModelUnreachable),
    (named("DeadlineExceeded"), ModelTimeout),
    (named("ResourceExhausted"), ModelRefused),
    (named("ServerDisconnectedError"), ModelUnreachable),
    (named("LengthFinishReasonError"), BadOutput),
    (named("APIStatusError", status_code=503), ModelRefused),
    (named("HTTPStatusError", response=httpx.Response(404)), ModelRefused),
    (ConnectionResetError("x"), ModelUnreachable),
    (TimeoutError("x"), ModelTimeout),
]


@pytest.mark.parametrize(("error", "kind"), MEANINGS, ids=lambda value: getattr(value, "__name__", repr(value)[:40]))
def test_a_providers_error_is_one_of_ours(error: Exception, kind: type[ModelError]) -> None:
    """It is raised as ours, with itself as the cause and its name in the message."""
    with pytest.raises(kind, match=type(error).__name__) as caught, as_ours():
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    ("error", "limited"),
    [
        (named("TooManyRequestsError"), True),
        (named("APIStatusError", status_code=429), True),
        (named("InternalServerError", status_code=500), False),
        (named("PermissionDenied", status_code=403), False),
    ],
)
def test_too_many_requests_are_told_from_other_refusals(error: Exception, limited: bool) -> None:
    """429, by its number or its name, is one request too many; other refusals are none."""
    ours = meaning(error)
    assert isinstance(ours, ModelRefused)
    assert ours.limited == limited


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x"), named("Unexpected"), psycopg.OperationalError("x")])
def test_other_errors_stay_what_they_are(error: Exception) -> None:
    """What is no failure of a model's endpoint is not taken for one, and what is ours already is not wrapped."""
    assert meaning(error) is None
    for kept in (error, ModelUnreachable("gone"), BadOutput("bad", "text")):
        with pytest.raises(type(kept)) as caught, as_ours():
            raise kept
        assert caught.value is kept
