"""The host's own copy of conversations (langgraph dev, LangGraph server): last states, and the input of every run."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import httpx
from langgraph_sdk import get_client

PAGE = 500


class HostRefused(RuntimeError):
    """The host can't be reached, or doesn't let us; nothing of ours was lost by it."""


class Host:
    """Speaks to the host's API for one customer. `headers` are what its authentication asks for."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self.url = url
        self._client = get_client(url=url, api_key=None, headers=dict(headers))

    async def conversations(self, owner: str) -> list[str]:
        """All that the host lists of a customer, those in which nothing was ever said included."""
        found: list[str] = []
        while page := await self._ask(
            self._client.threads.search(metadata={"owner": owner}, limit=PAGE, offset=len(found))
        ):
            found += [thread["thread_id"] for thread in page]
        return found

    async def stop(self, thread: str) -> None:
        """Ends the runs of a conversation: they would write down again what is being erased."""
        for status in ("running", "pending"):
            for run in await self._ask(self._client.runs.list(thread, status=status)) or []:
                await self._ask(self._client.runs.cancel(thread, run["run_id"], wait=True))

    async def delete(self, thread: str) -> dict[str, Any] | None:
        """Removes a conversation with its runs and its state; returns its metadata, None if there was none."""
        known = await self._ask(self._client.threads.get(thread))
        if known is None:
            return None
        await self._ask(self._client.threads.delete(thread))
        return dict(known.get("metadata") or {})

    async def make(self, thread: str, metadata: Mapping[str, Any]) -> None:
        """The conversation again, as a host lists it: without a state of its own."""
        await self._ask(self._client.threads.create(thread_id=thread, metadata=dict(metadata), if_exists="do_nothing"))

    async def _ask(self, answer: Any) -> Any:
        """What the host answers; None where it knows no such conversation or run."""
        try:
            return await answer
        except httpx.HTTPStatusError as error:
            if error.response.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY):
                return None  # server thread ids are UUIDs; what isn't one can't be a conversation there
            answered = f"{error.response.status_code}: {error.response.text[:200]}"
            raise HostRefused(f"{self.url} answers {answered}") from error
        except httpx.TransportError as error:
            raise HostRefused(f"{self.url} can't be reached ({error}); is it running?") from error
