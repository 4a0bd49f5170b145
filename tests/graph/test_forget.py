"""F9 in whole conversations: checkpoints, summaries, and what a client sends again."""

from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, RemoveMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from support.rights import where
from tests.graph.talk import OTHER, THIRD, THREAD, Talk, config, subject
from trusted_memory.storage.erasure.checkpoints import Cut
from trusted_memory.storage.erasure.erase import forget
from trusted_memory.storage.erasure.traces import Traces
from trusted_memory.storage.transcript import digest

WORDS = ("Quetzalina", "id-zebra-1")


async def _forget(talk: Talk, **what: Any) -> dict[str, Any]:
    return await forget(talk.deps.memory.committer, subject("alice"), now=datetime.now(UTC), **what)


async def _tell(talk: Talk) -> None:
    """A fact that two conversations know of, each with a history of checkpoints."""
    await talk.say("Please call me Quetzalina from now on.", id="id-zebra-1")
    await talk.drain()
    await talk.say("What is my name?", id="id-two")
    assert "Quetzalina" in (await talk.say("What do you call me?", thread=OTHER)).reply
    found = await where(talk.deps.database, *WORDS)
    assert {"checkpoint_blobs", "transcript", "store", "statement", "ledger"} <= set(found["Quetzalina"])


async def test_f9_a_message_leaves_every_conversation(talk: Talk) -> None:
    """A forgotten message and the replies that repeat it are in no checkpoint; the conversation goes on."""
    await _tell(talk)
    receipt = await _forget(talk, source="id-zebra-1")
    assert await where(talk.deps.database, *WORDS) == {}
    assert receipt["reached"]["messages_that_repeated_it"] == 2
    assert not any("answered just now" in line for line in receipt["not_reached"])
    assert ("human", "What is my name?") in await talk.history()
    assert "don't know" in (await talk.say("What is my name?")).reply
    assert "evening" in (await talk.say("Actually, please deliver in the evening.")).reply
    assert await talk.facts() == {"delivery_window": "evening"}


async def test_f9_a_fact_leaves_every_conversation(talk: Talk) -> None:
    """The same by the name of the fact."""
    await _tell(talk)
    await _forget(talk, fact="preferred_name")
    assert await where(talk.deps.database, *WORDS) == {}
    assert await talk.facts() == {}


async def test_f9_everything_leaves_nothing(talk: Talk) -> None:
    """Nothing of the customer's conversations is left; a new one starts empty, and another customer's goes on."""
    await _tell(talk)
    await talk.say("My shoe size is 42.", user="bob", thread=THIRD)
    receipt = await _forget(talk)
    assert await where(talk.deps.database, *WORDS, "What is my name", "What do you call me", THREAD, OTHER) == {}
    assert receipt["reached"]["checkpoints"] > 0
    assert await talk.history() == []
    assert len(await talk.history(THIRD)) == 2
    assert "don't know" in (await talk.say("What is my name?")).reply


@pytest.mark.parametrize("what", [{"source": "id-zebra-1"}, {"fact": "preferred_name"}, {}], ids=str)
async def test_f9_copies_of_a_conversation_forget_too(talk: Talk, what: dict[str, Any]) -> None:
    """A copy, and a copy of it, lose what the conversation loses, a summary of it included, and nothing else."""
    await _tell(talk)
    await talk.assistant.checkpointer.acopy_thread(THREAD, THIRD)
    folded = {"messages": [RemoveMessage("id-zebra-1")], "summary": "They told their name."}
    await talk.assistant.aupdate_state(config(THIRD), folded, as_node="settle")
    await talk.assistant.checkpointer.acopy_thread(THIRD, "a copy of it")
    await _forget(talk, **what)
    assert await where(talk.deps.database, *WORDS, "told their name") == {}
    for thread in (THIRD, "a copy of it"):
        assert (("human", "What is my name?") in await talk.history(thread)) == bool(what)
    if not what:
        assert await where(talk.deps.database, "What is my name", THIRD, "a copy of it") == {}


async def test_f9_summaries_that_may_tell_of_it_go(talk: Talk) -> None:
    """A summary is dropped where the message was folded or its words stand in it; other summaries stay."""
    await _tell(talk)
    await talk.say("Hello.", thread=THIRD)
    for thread, summary in ((OTHER, "The customer is called Quetzalina."), (THIRD, "They said hello.")):
        remembered = {"summary": summary, "pinned": ["Quetzalina" if thread == OTHER else "A-10442"]}
        await talk.assistant.aupdate_state(config(thread), remembered, as_node="settle")
    receipt = await _forget(talk, source="id-zebra-1")
    assert await where(talk.deps.database, *WORDS) == {}
    assert receipt["reached"]["summaries"] == 1
    assert (await talk.assistant.aget_state(config(OTHER))).values["summary"] == ""
    assert (await talk.assistant.aget_state(config(THIRD))).values["summary"] == "They said hello."
    assert (await talk.assistant.aget_state(config(THIRD))).values["pinned"] == ["A-10442"]


async def test_f9_a_folded_message_takes_the_summary(talk: Talk) -> None:
    """What was folded may be told in other words, so the summary goes even if no word of it is found."""
    await _tell(talk)
    state = await talk.assistant.aget_state(config(THREAD))
    folded = {"messages": [RemoveMessage(id=m.id) for m in state.values["messages"][:2]], "summary": "Said a name."}
    await talk.assistant.aupdate_state(config(THREAD), folded, as_node="settle")
    await _forget(talk, source="id-zebra-1")
    assert (await talk.assistant.aget_state(config(THREAD))).values["summary"] == ""


async def test_f9_pending_writes_are_reached(talk: Talk) -> None:
    """What a killed turn has left behind beside its checkpoint is cut as well."""
    await _tell(talk)
    async with talk.deps.database.connection() as connection:
        kind, blob = JsonPlusSerializer().dumps_typed([HumanMessage("I am Quetzalina", id="id-zebra-1")])
        await connection.execute(
            "insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)"
            " select thread_id, '', max(checkpoint_id), 'task', 7, 'messages', %s, %s from checkpoints"
            " where thread_id = %s group by thread_id",
            (kind, blob, THREAD),
        )
    await _forget(talk, source="id-zebra-1")
    assert await where(talk.deps.database, *WORDS) == {}
    rows = await talk.rows("select count(*) as n from checkpoint_writes where task_id = 'task' and %(subject)s <> ''")
    assert rows[0]["n"] == 1, "the write itself stays: only the message is cut out"


async def test_f9_what_cannot_be_cut_goes_whole(talk: Talk) -> None:
    """A state in another form can't be searched: it goes, and the receipt names the conversation."""
    await _tell(talk)
    async with talk.deps.database.connection() as connection:
        await connection.execute(
            "update checkpoint_blobs set type = 'msgpack+aes' where thread_id = %s and type <> 'empty'", (OTHER,)
        )
    receipt = await _forget(talk, source="id-zebra-1")
    assert receipt["conversations_dropped"] == [OTHER]
    assert await where(talk.deps.database, *WORDS) == {}
    assert await talk.history(OTHER) == []


async def test_f9_a_turn_sent_again_stays_forgotten(talk: Talk) -> None:
    """A client that sends its copy of the conversation again brings nothing back, and the model never sees it."""
    await _tell(talk)
    await _forget(talk, source="id-zebra-1")
    copy = [HumanMessage("Please call me Quetzalina from now on.", id="id-zebra-1"), HumanMessage("Hello?", id="id-5")]
    turn = await talk.send(copy)
    await talk.drain()
    assert [m.text for m in turn.messages if m.id == "id-zebra-1"] == []
    assert await talk.facts() == {}
    left = await where(talk.deps.database, *WORDS)
    assert set(left.get("Quetzalina", [])) <= {"checkpoint_blobs", "checkpoint_writes"}, "until retention passes"


@pytest.mark.parametrize(("text", "stays"), [("Call me Quetzalina.", False), ("Call me Ruby.", True)])
def test_f9_versions_of_a_message_are_told_apart(text: str, stays: bool) -> None:
    """Under one id, state may hold the version that was erased or one that was not."""
    cut = Cut({"m1": {digest("Call me Ruby.")}}, Traces((), (), ()))
    assert bool(cut.without([HumanMessage(text, id="m1")])) is stays


async def test_f9_an_edited_message(talk: Talk) -> None:
    """Forgetting the first version of an edited message leaves the version that stands."""
    await talk.say("Please call me Quetzalina from now on.", id="id-zebra-1")
    await talk.say("Please call me Ruby from now on.", id="id-zebra-1")
    await talk.drain()
    await _forget(talk, source="id-zebra-1")
    assert await where(talk.deps.database, "Quetzalina") == {}
    assert ("human", "Please call me Ruby from now on.") in await talk.history()
    assert await talk.facts() == {"preferred_name": "Ruby"}
    rows = await talk.rows("select source from transcript where subject = %(subject)s and kind = 'user'")
    await _forget(talk, source=rows[0]["source"])
    assert await where(talk.deps.database, "Ruby", "id-zebra-1") == {}
    assert await talk.facts() == {}
