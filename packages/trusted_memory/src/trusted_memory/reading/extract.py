"""Reads messages with a model: the model proposes, the words decide. Malformed answers come back as data."""

import hashlib
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from trusted_memory.conversation.budget import RequestTooLarge
from trusted_memory.facts.schema import Schema
from trusted_memory.facts.words import Claim
from trusted_memory.models.counting import count_text, count_tokens
from trusted_memory.models.errors import BadOutput
from trusted_memory.prompting import Prompts
from trusted_memory.reading.answer import Useless, answer_schema, read_answer, useless
from trusted_memory.reading.ground import Numbered, Proposed, ground, misquoted
from trusted_memory.reading.numbering import Part, Request, requests

CODE = "1"  # raise it when this code, or grounding, reads the same answer otherwise

AGAIN = 5  # claims that are asked for again: more of them and the answer was no good

ModelCall = Callable[[Sequence[BaseMessage], dict[str, Any]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Malformed:
    """An answer that stayed useless after one repair; `claim` is its rejection, for the ledger of these messages."""

    messages: tuple[str, ...]
    error: str
    reply: str

    @property
    def claim(self) -> Claim:
        return Claim("", self.reply[:200] or None, "", found="unreadable_value")


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """Claims by message id, one entry for every customer message that was read, also where it says nothing.

    A claim that belongs to no customer message is a rejected one of the last that was read with it. `malformed` is
    what could not be read.
    """

    claims: Mapping[str, tuple[Claim, ...]]
    malformed: tuple[Malformed, ...] = ()


async def extract_claims(
    model_call: ModelCall, schema: Schema, messages: Sequence[Numbered], now: datetime, *, prompts: Prompts, limit: int
) -> ExtractionResult:
    """Read the customer messages among these, in order; the assistant's are context, never a source.

    `limit` are the tokens that one request may take: the budget's total without its output reserve. Failures of the
    endpoint are raised; an answer that is not what was asked for is repaired once, then returned as malformed.
    """
    system = instructions(schema, prompts)
    claims: dict[str, list[Claim]] = {m.id: [] for m in messages if m.kind == "user"}
    malformed: list[Malformed] = []
    waiting = deque(requests(messages, schema, limit - _fixed(system, schema, limit)))
    while waiting:
        request = waiting.popleft()
        try:
            said = await _ask(model_call, request, system, schema, now)
        except Useless as error:
            if len(request.parts) > 1:  # one message that no answer survives must not take the others with it
                waiting.extendleft(reversed(request.one_by_one()))
            else:
                malformed.append(Malformed(request.ids, str(error), error.reply))
            continue
        for part, proposed in said:
            if part is None:
                claim = Claim(proposed.attribute, proposed.value, proposed.quote, found="quote_not_found")
            else:
                claim = ground(proposed, part.message, part.before, schema)
            heard = claims[(part or request.parts[-1]).message.id]
            if claim not in heard:
                heard.append(claim)
    return ExtractionResult({k: tuple(v) for k, v in claims.items()}, tuple(malformed))


def extractor_version(schema: Schema, prompts: Prompts) -> str:
    """Changes with the prompt, the schema and this code: then messages can be read anew."""
    digest = hashlib.sha256(f"{CODE}\0{instructions(schema, prompts)}\0{json.dumps(answer_schema(schema))}".encode())
    return f"extract-{CODE}-{digest.hexdigest()[:12]}"


def instructions(schema: Schema, prompts: Prompts) -> str:
    lines = []
    for attribute in schema.values():
        examples = f" Like: {'; '.join(attribute.examples)}" if attribute.examples else ""
        lines.append(f"- {attribute.name}: {attribute.description.rstrip('.')}.{examples}")
    return prompts.render("extract", attributes="\n".join(lines))


def _fixed(system: str, schema: Schema, limit: int) -> int:
    """Tokens of everything but the messages. Raises RequestTooLarge if nothing is left for them."""
    fixed = count_tokens([SystemMessage(system), HumanMessage("x" * 60)]) + count_text(
        json.dumps(answer_schema(schema))
    )
    fixed += 600  # a second request also holds what was wrong with the first answer
    if fixed + 200 > limit:
        then = "raise APP_BUDGET__TOTAL, or shorten prompts/extract.md or the descriptions of the attributes"
        raise RequestTooLarge("the prompt that reads messages", fixed + 200, limit, then)
    return fixed


async def _ask(
    model_call: ModelCall, request: Request, system: str, schema: Schema, now: datetime
) -> list[tuple[Part | None, Proposed]]:
    """One request; one more where its answer can't be read, or has values in other words than their quotes."""
    wanted = answer_schema(schema, list(request.customers), request.assistants, dated=request.dated, most=request.most)
    asked = f"Today is {now:%A, %Y-%m-%d}.\n\n<messages>\n" + "\n".join(request.lines) + "\n</messages>"
    sent: list[BaseMessage] = [SystemMessage(system), HumanMessage(asked)]
    try:
        said = request.homes(await _answer(model_call, sent, wanted))
    except Useless as error:
        repair = f"That can't be read: {str(error)[:200]}. Answer again, with nothing but JSON that fits the schema."
        sent += [AIMessage(error.reply[:400] or "?"), HumanMessage(repair)]
        return request.homes(await _answer(model_call, sent, wanted))
    wrong = [(part, p) for part, p in said if part and misquoted(p, part.message, schema)][:AGAIN]
    if not wrong:
        return said
    listed = "\n".join(f'- "{p.value}" for "{p.quote[:120]}"' for _, p in wrong)
    repair = f"These values are not in the words of their quotes:\n{listed}\nGive these claims again, values copied."
    try:
        sent += [AIMessage("I will copy."), HumanMessage(repair)]
        again = request.homes(await _answer(model_call, sent, wanted))
    except Useless:
        return said
    kept = [claim for claim in said if claim not in wrong]
    return kept + [claim for claim in again if claim not in kept]


async def _answer(model_call: ModelCall, sent: list[BaseMessage], wanted: dict[str, Any]) -> list[tuple[int, Proposed]]:
    try:
        reply = await model_call(sent, wanted)
    except (BadOutput, ValueError) as error:
        raise useless(error) from error
    return read_answer(reply)
