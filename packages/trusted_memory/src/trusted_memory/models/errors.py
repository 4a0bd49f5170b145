"""What can go wrong with a model, as types. Messages name the endpoint and the next step, never the API key."""


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
