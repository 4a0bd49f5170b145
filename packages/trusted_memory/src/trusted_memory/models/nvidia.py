"""The models of the application: where they are served, how one is made, and how one is asked for JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from langchain_nvidia_ai_endpoints import Model, register_model
from langchain_nvidia_ai_endpoints._statics import lookup_model
from langgraph.constants import TAG_NOSTREAM
from pydantic import ValidationError

from trusted_memory.models.errors import BadOutput, as_ours
from trusted_memory.models.wire import NVIDIA

__all__ = ["NVIDIA", "Endpoint", "chat_model", "structured"]

HOSTED = "https://integrate.api.nvidia.com/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served: a NIM or any OpenAI-compatible server; without a URL, NVIDIA's own.

    `timeout` bounds, in seconds, a whole answer that is not streamed and every silence in one that is.
    """

    base_url: str | None
    api_key: str | None = field(repr=False)
    timeout: float


def name_hosted(model: Model, url: str, path: str) -> None:
    """Constructing a client for a hosted model that the package's table doesn't know would fetch /v1/models."""
    if ".nvidia.com" in url and lookup_model(model.id) is None:
        register_model(model.model_copy(update={"endpoint": f"{url.rstrip('/')}/{path}"}))


def chat_model(endpoint: Endpoint, model: str, *, max_tokens: int, temperature: float = 0.0) -> NVIDIA:
    """A chat model; asks nobody anything until it is used. Another bound for the answer: `model.bind(max_tokens=…)`."""
    if endpoint.base_url is None and not endpoint.api_key:
        raise ValueError("no model endpoint: set NVIDIA_BASE_URL (a NIM) or NVIDIA_API_KEY (NVIDIA's hosted models)")
    url = endpoint.base_url or HOSTED
    name_hosted(Model(id=model, model_type="chat", client="ChatNVIDIA", supports_tools=True), url, "chat/completions")
    try:
        return NVIDIA(
            model=model,
            base_url=url,
            api_key=endpoint.api_key,
            timeout=endpoint.timeout,
            max_completion_tokens=max_tokens,
            temperature=temperature,
            usage_telemetry_enabled=False,
        )
    except ValidationError as error:  # its text repeats the URL, which may hold a password
        raise ValueError("; ".join(f"NVIDIA_BASE_URL: {problem['msg']}" for problem in error.errors())) from None


async def structured(
    model: Runnable[LanguageModelInput, AIMessage],
    schema: dict[str, Any],
    messages: Sequence[BaseMessage],
    *,
    name: str = "claims",
) -> dict[str, Any]:
    """One request, one JSON object, or BadOutput: of any chat model that knows `response_format`.

    `with_structured_output` asks up to three times (ChatNVIDIA) and answers None.

    Never streamed to whoever watches the graph: half a claim is nothing to show a customer.
    """
    response_format = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
    with as_ours():
        answer = await model.bind(response_format=response_format).ainvoke(list(messages), {"tags": [TAG_NOSTREAM]})
    try:
        parsed = json.loads(answer.text)
    except json.JSONDecodeError as error:
        cut = answer.response_metadata.get("finish_reason") == "length"
        why = "was cut off by max_tokens" if cut else "is not JSON"
        raise BadOutput(f"the model's {name} {why}: {error}", answer.text) from error
    if not isinstance(parsed, dict):
        raise BadOutput(f"the model's {name} is a JSON {type(parsed).__name__}, not an object", answer.text)
    return parsed
