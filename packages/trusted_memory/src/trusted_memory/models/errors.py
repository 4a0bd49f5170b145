"""What can go wrong with a model, as types. Messages name the endpoint and the next step, never the API key.

Our own client raises them itself (wire.py). What other providers' clients raise is read here, in one place, by
LangChain's common classes and httpx's, else by what the class is called: the engine imports no other provider.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from langchain_core import exceptions as common

_LATE = re.compile(r"Time(?:d)?_?[Oo]ut|DeadlineExceeded")
_AWAY = re.compile(r"Connect(?:ion)?(?:Closed|Reset)?Error|Unreachable|Disconnected|ClientConnector")
_LIMITED = re.compile(r"RateLimit|TooManyRequests|ResourceExhausted|Throttl")
_CUT = re.compile(r"LengthFinishReason")
_DEEPEST = 5  # causes of causes looked at


class ModelError(Exception):
    """Any failure of a model call; its cause is kept in `__cause__`."""


class ModelUnreachable(ModelError):
    """Nobody answers at the endpoint, or the connection broke before the answer was complete."""


class ModelTimeout(ModelError):
    """The endpoint accepted the request and then stayed silent for too long."""


class ModelRefused(ModelError):
    """The endpoint answered with an error; `status` is None when it came in the middle of a stream."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status

    @property
    def limited(self) -> bool:
        """Whether it was one request too many: asking again at once makes it worse."""
        return self.status == 429


class BadOutput(ModelError):
    """The endpoint answered, but not with what was asked for; `text` is what it said."""

    def __init__(self, message: str, text: str = "") -> None:
        super().__init__(message)
        self.text = text


def advice(status: int | None) -> str:
    """What to do about a refusal."""
    match status:
        case 401 | 403:
            return "Check NVIDIA_API_KEY: this endpoint does not accept it."
        case 404:
            return "Check the model's name (GET /v1/models lists what the endpoint has) and NVIDIA_BASE_URL."
        case 400 | 413 | 422:
            return "The endpoint does not accept this request: too long for the model, or beyond what it can do."
        case 429:
            return "The endpoint limits the rate of requests: slow down or raise the quota."
        case _:
            return "The endpoint is in trouble: look into its log, then try again."


@contextmanager
def as_ours() -> Iterator[None]:
    """A provider's error is raised as the type above that it means, with itself as the cause; others as they are."""
    try:
        yield
    except ModelError:
        raise
    except Exception as error:
        ours = meaning(error)
        if ours is None:
            raise
        raise ours from error


def meaning(error: Exception) -> ModelError | None:
    """What an error of any provider's client means here; None where it is none that we know."""
    kinds = " ".join(kind.__name__ for kind in type(error).__mro__)
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    status = _status(error)
    if any(isinstance(cause, httpx.ConnectTimeout | httpx.ConnectError) for cause in _causes(error)):
        return ModelUnreachable(f"The model's provider can't be reached ({said}). Check its address.")
    if isinstance(error, common.ModelTimeoutError | TimeoutError | httpx.TimeoutException) or _LATE.search(kinds):
        return ModelTimeout(f"The model's provider was silent for too long ({said}). If it is only slow, wait longer.")
    if status == 429 or isinstance(error, common.ModelRateLimitError) or _LIMITED.search(kinds):
        return ModelRefused(f"The model's provider limits the rate of requests ({said}).", 429)
    if status is not None and status >= 400:
        return ModelRefused(f"The model's provider answered {status} ({said}).", status)
    if _CUT.search(kinds):
        return BadOutput(f"The model's answer was cut off by max_tokens ({said}).")
    if isinstance(error, common.ModelConnectionError | ConnectionError | httpx.TransportError) or _AWAY.search(kinds):
        return ModelUnreachable(f"The model's provider can't be reached or hung up ({said}). Check its address.")
    return None


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it was raised from."""
    cause: BaseException | None = error
    for _ in range(_DEEPEST):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__
