"""F9 on a host: its list of threads holds their last state, its runs hold what was sent."""

import re
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph_sdk.errors import NotFoundError

from evals.place import shop_deps
from graph.deps import Deps
from support.rights import where
from tests.graph.talk import settings_for
from tests.server.dev import Dev
from trusted_memory.facts.words import Subject
from trusted_memory.storage.erasure.erase import forget
from trusted_memory.storage.erasure.host import Host, HostRefused

SAID = "Please call me Quetzalina from now on."


def message(text: str, name: str | None = None) -> Any:
    return {"messages": [{"role": "user", "content": text, "id": name or str(uuid.uuid4())}]}


@pytest.fixture
def deps(server_database_uri: str) -> Deps:
    # The key differs from the server's: a redelivery is not what is tried here.
    return shop_deps(settings_for(server_database_uri, "http://127.0.0.1:9"))


async def test_f9_the_host_forgets(dev: Dev, deps: Deps) -> None:
    """One message, then everything: neither threads nor runs of the host tell of it, and a conversation goes on."""
    customer = f"c-{uuid.uuid4().hex[:8]}"
    client, person = dev.client(customer), Subject("demo", customer)
    host = Host(dev.url, {"x-customer-id": customer})
    thread = str((await client.threads.create())["thread_id"])
    silent = str((await client.threads.create())["thread_id"])
    for text, name in ((SAID, "zebra-1"), ("Hello, hello.", "zebra-2")):
        await client.runs.wait(thread, "assistant", input=message(text, f"{name}-{customer}"))
    assert "Quetzalina" in str(await client.threads.get(thread))
    assert "Quetzalina" in str(await client.runs.list(thread))
    try:
        receipt = await forget(
            deps.memory.committer, person, source=f"zebra-1-{customer}", now=datetime.now(UTC), host=host
        )
        assert receipt["reached"]["host_conversations"] == 1
        assert not any("--host" in line for line in receipt["not_reached"])
        for told in (await client.threads.get(thread), await client.runs.list(thread), await client.threads.search()):
            assert "Quetzalina" not in str(told)
        state = await client.threads.get_state(thread)
        assert "Hello, hello." in str(state["values"])
        assert await where(deps.database, "Quetzalina", f"zebra-1-{customer}") == {}
        await client.runs.wait(thread, "assistant", input=message("Are you there?"))
        values = str((await client.threads.get_state(thread))["values"])
        assert "Are you there?" in values
        assert "Hello, hello." in values
        receipt = await forget(deps.memory.committer, person, now=datetime.now(UTC), host=host)
        assert receipt["reached"]["host_conversations"] == 2
        assert await client.threads.search() == []
        for gone in (thread, silent):
            with pytest.raises(NotFoundError):
                await client.threads.get(gone)
        assert await where(deps.database, "Hello, hello.", "Are you there?") == {}
    finally:
        await deps.database.close()


async def test_f9_the_host_forgets_copies(dev: Dev, deps: Deps) -> None:
    """A copied conversation that went on, and the host's list of it, tell nothing of a message that is forgotten."""
    customer = f"c-{uuid.uuid4().hex[:8]}"
    client, person = dev.client(customer), Subject("demo", customer)
    thread = str((await client.threads.create())["thread_id"])
    await client.runs.wait(thread, "assistant", input=message(SAID, f"zebra-3-{customer}"))
    await client.threads.copy(thread)
    [copy] = {t["thread_id"] for t in await client.threads.search()} - {thread}
    await client.runs.wait(copy, "assistant", input=message("Hello, hello."))
    assert "Quetzalina" in str(await client.threads.get(copy))
    try:
        host = Host(dev.url, {"x-customer-id": customer})
        await forget(deps.memory.committer, person, source=f"zebra-3-{customer}", now=datetime.now(UTC), host=host)
        assert "Quetzalina" not in str([await client.threads.search(), await client.threads.get_state(copy)])
        assert "Hello, hello." in str((await client.threads.get_state(copy))["values"])
        assert await where(deps.database, f"zebra-3-{customer}") == {}
        await forget(deps.memory.committer, person, now=datetime.now(UTC), host=host)
        assert await where(deps.database, "Hello, hello.", copy) == {}
    finally:
        await deps.database.close()


async def test_f6_a_host_lets_nobody_forget_for_others(dev: Dev, deps: Deps) -> None:
    """With another customer's headers nothing of the host is reached, and nothing there is lost."""
    owner, other = f"c-{uuid.uuid4().hex[:8]}", f"c-{uuid.uuid4().hex[:8]}"
    client = dev.client(owner)
    thread = str((await client.threads.create())["thread_id"])
    await client.runs.wait(thread, "assistant", input=message(SAID))
    try:
        host = Host(dev.url, {"x-customer-id": other})
        receipt = await forget(deps.memory.committer, Subject("demo", other), now=datetime.now(UTC), host=host)
        assert receipt["reached"]["host_conversations"] == 0
        assert "Quetzalina" in str(await client.threads.get(thread))
    finally:
        await deps.database.close()


async def test_a_host_that_is_away(deps: Deps) -> None:
    """Asked first, so that nothing is half done; the error names the address."""
    try:
        host = Host("http://127.0.0.1:9", {})
        with pytest.raises(HostRefused, match=re.escape("http://127.0.0.1:9 can't be reached")):
            await forget(deps.memory.committer, Subject("demo", "nobody"), now=datetime.now(UTC), host=host)
    finally:
        await deps.database.close()
