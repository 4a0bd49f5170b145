"""ChatNVIDIA with its wire format, its timeouts and its errors put right (each measured on 1.5.0)."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any, cast

import aiohttp
import requests
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_nvidia_ai_endpoints import ChatNVIDIA
from pydantic import PrivateAttr, SecretStr

from trusted_memory.models.errors import BadOutput, ModelError, ModelRefused, ModelTimeout, ModelUnreachable, advice

CONNECT_SECONDS = 10.0  # who doesn't pick up in this time won't; the rest of the timeout is for thinking


class NVIDIA(ChatNVIDIA):
    """ChatNVIDIA whose requests carry their tool calls, whose silences end, and whose errors have types."""

    _timeout: float = PrivateAttr()

    def __init__(self, *, timeout: float, api_key: str | None = None, **kwargs: Any) -> None:
        super().__init__(timeout=timeout, api_key=api_key, **kwargs)
        self._timeout = timeout
        self._client.get_session_fn = self._sync_session
        self._async_client.get_async_session_fn = self._session
        # Left alone, a missing key is taken from the environment and sent to whatever endpoint this is.
        self._client.api_key = self._async_client.api_key = SecretStr(api_key) if api_key else None

    # -- what goes out

    def _prepare_inputs_and_payload(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, str]]:
        return super()._prepare_inputs_and_payload([_mirrored(message) for message in messages], *args, **kwargs)

    # -- how long it may take, and what a refusal looks like

    def _session(self) -> aiohttp.ClientSession:
        connect = min(CONNECT_SECONDS, self._timeout / 2)
        return aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(connect=connect, sock_connect=connect),
            raise_for_status=self._raise_refusal,
        )

    def _sync_session(self) -> requests.Session:
        session = requests.Session()
        session.hooks["response"].append(self._raise_refusal_sync)
        return session

    async def _raise_refusal(self, response: aiohttp.ClientResponse) -> None:
        if response.status >= 400:
            raise self._refusal(response.status, await response.text(errors="replace"))

    def _raise_refusal_sync(self, response: requests.Response, **_: Any) -> None:
        if response.status_code >= 400:
            raise self._refusal(response.status_code, response.text)

    def _refusal(self, status: int | None, body: str) -> ModelRefused:
        key = self._client.api_key.get_secret_value() if self._client.api_key else None
        said = " ".join((body.replace(key, "***") if key else body).split())[:300]
        how = "broke off with an error" if status is None else f"answered {status}"
        return ModelRefused(f"{self._where}, {how}. {advice(status)} It said: {said}", status)

    @contextmanager
    def _typed(self) -> Iterator[None]:
        try:
            yield
        except ModelError:
            raise
        except (json.JSONDecodeError, UnicodeDecodeError, AssertionError, AttributeError) as error:
            raise self._not_an_answer(str(error)) from error
        except (aiohttp.ConnectionTimeoutError, requests.ConnectTimeout) as error:
            raise self._unreachable(error) from error
        except (TimeoutError, requests.Timeout) as error:
            raise ModelTimeout(
                f"{self._where}, was silent for {self._timeout:g} s. If it is only slow, raise APP_MODEL_TIMEOUT."
            ) from error
        except (aiohttp.ClientError, requests.RequestException) as error:
            raise self._unreachable(error) from error
        except Exception as error:
            if type(error) is not Exception:  # the client's own errors are bare: an error event in a stream
                raise
            raise self._refusal(None, str(error)) from error

    @property
    def _where(self) -> str:
        return f"{self.base_url}, model {self.model!r}"

    def _unreachable(self, error: Exception) -> ModelUnreachable:
        what = type(error).__name__
        return ModelUnreachable(f"{self._where}, can't be reached or hung up ({what}). Check NVIDIA_BASE_URL.")

    def _not_an_answer(self, text: str) -> BadOutput:
        return BadOutput(
            f"{self._where}, answered with something other than a chat completion. "
            "Check that NVIDIA_BASE_URL names the server's /v1.",
            text,
        )

    # -- what comes back

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        with self._typed():
            return self._complete(super()._generate(messages, stop, run_manager, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        with self._typed():
            # Not the socket's timeout, which starts anew with every byte: a server may drip.
            async with asyncio.timeout(self._timeout):
                result = await super()._agenerate(messages, stop, run_manager, **kwargs)
            return self._complete(result)

    def _complete(self, result: ChatResult) -> ChatResult:
        message = result.generations[0].message
        if "finish_reason" not in message.response_metadata:  # a 200 with a web page in it is no answer
            raise self._not_an_answer(str(message.content) or json.dumps(result.llm_output, default=str))
        return result

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: Sequence[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        finished = False
        with self._typed():
            for chunk in super()._stream(messages, stop, run_manager, **kwargs):
                finished = finished or "finish_reason" in chunk.message.response_metadata
                yield chunk
        self._require_end(finished)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: Sequence[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        clock = asyncio.get_running_loop().time
        finished, patience = False, self._timeout
        answer = super()._astream(messages, stop, run_manager, **kwargs)
        async with aclosing(cast(AsyncGenerator[ChatGenerationChunk], answer)) as chunks:
            while True:
                asked = clock()
                with self._typed():
                    async with asyncio.timeout(patience):
                        chunk = await anext(chunks, None)
                if chunk is None:
                    break
                finished = finished or "finish_reason" in chunk.message.response_metadata
                # Keep-alive comments arrive as empty chunks: they use patience up. Our own time with a chunk doesn't.
                patience = self._timeout if _says_something(chunk) else patience - (clock() - asked)
                yield chunk
        self._require_end(finished)

    def _process_stream_chunk(self, response: Any, *args: Any, **kwargs: Any) -> ChatGenerationChunk:
        if "error" in response:  # the client raises some shapes of these itself, and swallows the others
            raise self._refusal(None, json.dumps(response["error"], default=str))
        return super()._process_stream_chunk(response, *args, **kwargs)

    def _require_end(self, finished: bool) -> None:
        if not finished:  # without this, half a reply passes for a whole one
            raise ModelUnreachable(f"{self._where}, hung up in the middle of its answer.")


def _says_something(chunk: ChatGenerationChunk) -> bool:
    message = chunk.message
    calls = getattr(message, "tool_call_chunks", None)
    return bool(message.content or calls or message.additional_kwargs or message.response_metadata)


def _mirrored(message: BaseMessage) -> BaseMessage:
    """The message with its tool calls where the serializer looks, and no others: each gets a result, and only those.

    ChatNVIDIA sends `additional_kwargs["tool_calls"]` alone. Streaming doesn't fill it, nor does a message built by
    hand, and it keeps calls with unreadable arguments, which no tool ever answers.
    """
    if not isinstance(message, AIMessage):
        return message
    extra = {key: value for key, value in message.additional_kwargs.items() if key != "tool_calls"}
    if message.tool_calls:
        extra["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
    return message.model_copy(update={"additional_kwargs": extra})
