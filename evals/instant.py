"""A model that answers at once, in the process: what a turn takes with it is what a turn takes without a model."""

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from evals.place import CHAT
from trusted_memory.models.nvidia import NVIDIA


class Instant(NVIDIA):
    """The product's own client, whose requests go nowhere."""

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the interface of chat models
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002 - likewise
        **kwargs: Any,
    ) -> ChatResult:
        words = str(messages[-1].content).split()
        said = f"I see: {' '.join(words[-12:])}. Is there anything else that I can do for you?"
        reply = AIMessage('{"claims": []}' if "response_format" in kwargs else said)
        reply.response_metadata = {"finish_reason": "stop"}
        return ChatResult(generations=[ChatGeneration(message=reply)])


def instant(*, max_tokens: int = 500) -> Instant:
    return Instant(
        model=CHAT,
        base_url="http://127.0.0.1:9/v1",  # nobody is there: a request that leaves after all fails
        timeout=1.0,
        max_completion_tokens=max_tokens,
        usage_telemetry_enabled=False,
    )
