"""A model that answers by chance: sense and nonsense, fast and slow, and sometimes not at all."""

import asyncio
import hashlib
import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.arguments import canonical
from runtime.ports import CallDelta, Chunk, Finished, ModelError, ModelRequest, OutputDelta, ThoughtDelta
from runtime.providers.wire import wire_messages
from tests.providers.history_rules import mistral_faults, openai_faults
from tests.simulation.cast import PEOPLE
from tests.simulation.record import Faults

WORDS = ("Well", "the", "order", "한국어", "is", "late", "\ud83d", "<b>", "42")
NAMES = ("Maya", "Noah", "u_noah", "caller", "nobody")
KINDS = ("rate_limit", "overloaded", "connection", "bad_request", "tool_schema")


@dataclass(slots=True)
class ChanceModel:
    """`asked` counts the requests by their hash; `is_calm`: it only speaks, and never fails."""

    chance: random.Random
    faults: Faults
    is_calm: bool = False
    asked: Counter[str] = field(default_factory=Counter)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        self._take(request)
        await asyncio.sleep(self.chance.choice((0, 0, 0.2, 1.5)))
        if not self.is_calm:
            self._fail(request)
        if self.chance.random() < 0.2:
            yield ThoughtDelta("Hm. ")
        said = 0
        for word in self._words(request):
            yield OutputDelta(word)
            said += len(word)
            await asyncio.sleep(self.chance.choice((0, 0.01, 0.4)))
        for index, (name, arguments) in enumerate(self._calls(request)):
            middle = self.chance.randrange(len(arguments) + 1)
            yield CallDelta(index, name, arguments[:middle])
            await asyncio.sleep(0)
            yield CallDelta(index, "", arguments[middle:])
        if self.is_calm or self.chance.random() < 0.95:
            yield self._finished(request, said)

    def _take(self, request: ModelRequest) -> None:
        """Promise 11: what it is shown is a valid history."""
        body = {
            "messages": request.messages,
            "model": request.model,
            "settings": request.settings,
            "tools": request.tools,
            "withhold_tools": request.withhold_tools,
        }
        self.asked[hashlib.sha256(canonical(body).encode()).hexdigest()] += 1
        faults = openai_faults(wire_messages(request.messages, request.model))
        faults += mistral_faults(wire_messages(request.messages, "mistral/x"))
        if faults:
            self.faults.append(f"the model is shown no valid history: {faults}")
        told = canonical(body)
        if sum(secret_of(person) in told for person in PEOPLE) > 1:
            self.faults.append("the memory of one person is in the turn of another")

    def _fail(self, request: ModelRequest) -> None:
        if self.chance.random() > 0.07:
            return
        kind = self.chance.choice(KINDS)
        raise ModelError(
            "The provider is not well.",
            kind=kind,
            retryable=kind not in ("bad_request",),
            retry_after_seconds=self.chance.choice((None, None, 1.0, 90.0)),
            tool="look" if kind == "tool_schema" else "",
        )

    def _words(self, request: ModelRequest) -> list[str]:
        if _asks_what_to_keep(request):
            return [self.chance.choice(('{"notes.a": "kept"}', '{"notes.a": null, "x": "y"}', "{}", "nothing"))]
        if self.is_calm:
            return ["All is done."]
        count = self.chance.choice((0, 1, 3, 12))
        return [f"{self.chance.choice(WORDS)} " for _ in range(count)]

    def _calls(self, request: ModelRequest) -> list[tuple[str, str]]:
        if self.is_calm or self.chance.random() < 0.45:
            return []
        names = [tool["name"] for tool in request.tools]
        return [self._call(self.chance.choice(names)) for _ in range(self.chance.choice((1, 1, 2, 4)))]

    def _call(self, name: str) -> tuple[str, str]:
        chance = self.chance
        if chance.random() < 0.04:
            return chance.choice(("no_such_tool", "")), "{}"
        if chance.random() < 0.06:
            return name, chance.choice(("", "{bro", "[]", '{"x": 1}', '{"x": "a", "y": 2}', '{"to": null}'))
        return name, json.dumps(_ARGUMENTS.get(name, _task if name.startswith("invoke_") else _plain)(chance))

    def _finished(self, request: ModelRequest, said: int) -> Finished:
        shown = sum(len(str(message.get("content") or "")) for message in request.messages)
        reason = self.chance.choice(("stop", "stop", "stop", "length", "refusal")) if not self.is_calm else "stop"
        return Finished(reason, shown // 4, said // 4 + 5, cost_usd=0.0001)


def secret_of(person: str) -> str:
    """What only that person's memory holds."""
    return f"secret of {person}"


def _asks_what_to_keep(request: ModelRequest) -> bool:
    return str(request.messages[-1].get("content")).startswith("The turn is over")


Arguments = Callable[[random.Random], dict[str, Any]]


def _plain(chance: random.Random) -> dict[str, Any]:
    return {"x": chance.choice(("a", "b")), "n": chance.randrange(5)}


def _task(chance: random.Random) -> dict[str, Any]:
    return {"task": chance.choice(("Look it up.", "Ask Noah."))}


def _timer(chance: random.Random) -> dict[str, Any]:
    args: dict[str, Any] = {"after_seconds": chance.choice((0, 1, 20, 50)), "note": "look again"}
    if chance.random() < 0.15:
        args["every"] = "1m"
    if chance.random() < 0.1:
        args = {"at": chance.choice(("2023-11-14T22:14Z", "soon")), "note": "look again"}
    return args | ({"urgent": True} if chance.random() < 0.3 else {})


def _call_id(chance: random.Random) -> str:
    return f"{chance.randrange(8)}.{chance.randrange(2)}"


def _escalation(chance: random.Random) -> dict[str, Any]:
    args: dict[str, Any] = {"reason": "I am stuck.", "question": "May I?"}
    if chance.random() < 0.6:
        args |= {"deadline_seconds": chance.choice((5, 40)), "then": chance.choice(("continue", "pause", "cancel"))}
    return args


def _message(chance: random.Random) -> dict[str, Any]:
    args: dict[str, Any] = {"to": chance.choice(NAMES), "content": "What colour?", "wait": chance.random() < 0.6}
    if chance.random() < 0.3:
        args["form"] = {"type": "object", "properties": {"colour": {"type": "string"}}}
    return args


def _to_agent(chance: random.Random) -> dict[str, Any]:
    return {
        "to": chance.choice(("helper", "clerk", "desk", "porter", "nobody")),
        "content": chance.choice(("Stop that.", "Go.")),
    }


def _plan(chance: random.Random) -> dict[str, Any]:
    status = ("pending", "pending", "in_progress", "done", "skipped")
    ids = chance.sample("abcde", chance.choice((0, 1, 2, 3, 5)))
    steps: list[dict[str, Any]] = []
    for id in ids:
        after = chance.choice(([], [], [chance.choice("abcde")]))
        steps.append({"id": id, "title": f"Do {id}.", "status": chance.choice(status), "after": after})
    return {"steps": steps}


def _move(chance: random.Random) -> dict[str, Any]:
    args: dict[str, Any] = {"to": chance.choice(("asking", "acting", "done")), "reason": "it is time"}
    if chance.random() < 0.7:
        args["set"] = {"order": chance.choice(("", "48213"))}
    return args


_ARGUMENTS: dict[str, Arguments] = {
    "remember": lambda chance: {"key": chance.choice(("notes.a", "notes.b", "No Key")), "value": chance.choice("xyz")},
    "recall": lambda chance: {"keys": chance.choice((["*"], ["secret", "notes.a"]))},
    "search_memory": lambda chance: {"query": chance.choice(("secret", "nothing"))},
    "forget": lambda chance: {"key": chance.choice(("notes.a", "notes.b"))},
    "update_rollout_state": _move,
    "update_plan": _plan,
    "message_agent": _to_agent,
    "interrupt_agent": _to_agent,
    "send_message": _message,
    "set_timer": _timer,
    "cancel_timer": lambda chance: {"timer_id": _call_id(chance)},
    "escalate": _escalation,
    "cancel_call": lambda chance: {"call_id": _call_id(chance)},
    "note": lambda chance: {"content": "It is late."},
    "pause": lambda chance: {"reason": "I do not know."},
}
