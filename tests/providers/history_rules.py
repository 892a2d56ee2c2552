"""What OpenAI-compatible servers, Anthropic and Mistral demand of a history; each rule says what it found."""

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

NINE_ALPHANUMERICS = re.compile(r"[A-Za-z0-9]{9}")

Messages = Sequence[Mapping[str, Any]]


def openai_faults(messages: Messages) -> list[str]:
    """Faults of a history for `/v1/chat/completions`; empty if it is valid."""
    faults: list[str] = []
    open_ids: list[str] = []
    for place, message in enumerate(messages):
        role, content = message["role"], message.get("content")
        if role == "tool":
            if message["tool_call_id"] not in open_ids:
                faults.append(f"{place}: a result without its call")
            else:
                open_ids.remove(message["tool_call_id"])
        elif open_ids:
            faults.append(f"{place}: calls without a result before it: {open_ids}")
        if role not in ("system", "user", "assistant", "tool"):
            faults.append(f"{place}: role {role}")
        if not message.get("tool_calls") and not (content or "").strip():
            faults.append(f"{place}: blank text")
        if content is not None and not content.strip():
            faults.append(f"{place}: blank instead of none")
        faults += [f"{place}: {fault}" for fault in _call_faults(message.get("tool_calls") or ())]
        open_ids += [call["id"] for call in message.get("tool_calls") or ()]
    return faults + [f"end: calls without a result: {open_ids}" for _ in open_ids[:1]]


def mistral_faults(messages: Messages) -> list[str]:
    """Beyond the common rules: no user straight after a tool."""
    roles = [message["role"] for message in messages]
    pairs = itertools.pairwise(roles)
    return openai_faults(messages) + ["a user straight after a tool" for pair in pairs if pair == ("tool", "user")]


def anthropic_faults(body: Mapping[str, Any]) -> list[str]:
    """Faults of a body for `/v1/messages`: roles alternate, results stand first and at once, no blank text."""
    faults: list[str] = []
    wanted: set[str] = set()
    messages = body["messages"]
    for place, message in enumerate(messages):
        if message["role"] != ("user", "assistant")[place % 2]:
            faults.append(f"{place}: role {message['role']}")
        blocks = message["content"]
        blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if set(results) != wanted or len(results) != len(wanted):
            faults.append(f"{place}: results {results} for calls {sorted(wanted)}")
        if [block["type"] for block in blocks[: len(results)]] != ["tool_result"] * len(results):
            faults.append(f"{place}: results do not stand first")
        faults += [f"{place}: blank text" for block in blocks if block["type"] == "text" and not block["text"].strip()]
        faults += [f"{place}: input" for block in blocks if not isinstance(block.get("input", {}), dict)]
        wanted = {block["id"] for block in blocks if block["type"] == "tool_use"}
    return faults + (["end: calls without a result"] if wanted else [])


def _call_faults(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    faults = [f"id {call['id']}" for call in calls if not NINE_ALPHANUMERICS.fullmatch(call["id"])]
    if len({call["id"] for call in calls}) != len(calls):
        faults.append("the same id twice")
    for call in calls:
        try:
            value = json.loads(call["function"]["arguments"], parse_constant=lambda name: [][0])
            is_object = isinstance(value, dict) and bool(json.dumps(value, ensure_ascii=False).encode())
        except (ValueError, IndexError):
            is_object = False
        if not is_object:
            faults.append(f"arguments {call['function']['arguments']!r}")
    return faults
