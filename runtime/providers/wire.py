"""A neutral request in the shape of chat completions: wire ids, valid arguments, no blank text, accepted roles."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from runtime.ports import ModelRequest

RESULT_READ = "(result read)"
NO_OUTPUT = "(no output)"  # a result may not be blank for some providers, and may not be missing for any
SAMPLING = ("temperature", "top_p")
SETTINGS = (*SAMPLING, "max_tokens", "reasoning_effort", "seed", "stop", "presence_penalty", "frequency_penalty")
REASONS_WITHOUT_SAMPLING = frozenset({"anthropic"})  # it refuses a temperature beside reasoning
TOOL_THEN_USER_REFUSED = frozenset({"mistral"})
WANTS_CACHE_MARKS = frozenset({"anthropic"})
CACHE_MARK = {"type": "ephemeral"}

SILENCE_SECONDS = 120.0  # a long answer that goes on coming may take longer

Message = dict[str, Any]


def wire_id(call_id: str) -> str:
    """`3.0` as nine alphanumerics, which is what the strictest provider wants: `000003000`."""
    step, index = call_id.split(".")
    return f"{int(step):06d}{int(index):03d}"


def call_id(wire: str) -> str:
    """The call id that a wire id was made from."""
    return f"{int(wire[:6])}.{int(wire[6:])}"


def provider_of(litellm_model: str) -> str:
    """What stands before the first slash; empty for a bare model name."""
    head, slash, _ = litellm_model.partition("/")
    return head if slash else ""


def family_of(litellm_model: str) -> str:
    """Models that understand one another's signed reasoning: `anthropic/claude` for `anthropic/claude-sonnet-4`."""
    name = litellm_model.rsplit("/", 1)[-1]
    return f"{provider_of(litellm_model)}/{name.partition('-')[0]}"


def wire_messages(messages: Sequence[Mapping[str, Any]], litellm_model: str) -> list[Message]:
    """The history as this model's provider accepts it."""
    provider, family = provider_of(litellm_model), family_of(litellm_model)
    wired = [wired for message in messages if (wired := wire_message(message, family)) is not None]
    if provider in TOOL_THEN_USER_REFUSED:
        wired = list(_joined_to_results(wired))
    return _cache_marked(wired) if provider in WANTS_CACHE_MARKS else wired


def wire_tools(request: ModelRequest) -> dict[str, Any]:
    """`tools` and `tool_choice`. Withheld tools stay in the list, so that a provider's cache of the prefix holds."""
    if not request.tools:
        return {}
    tools = [{"type": "function", "function": dict(tool)} for tool in request.tools]
    return {"tools": tools, "tool_choice": "none" if request.withhold_tools else "auto"}


def wire_settings(settings: Mapping[str, Any], litellm_model: str) -> dict[str, Any]:
    """The settings that were made; what is None or empty is the provider's choice."""
    made = {name: settings[name] for name in SETTINGS if settings.get(name) not in (None, (), [])}
    reasons = made.get("reasoning_effort", "none") != "none"
    if reasons and provider_of(litellm_model) in REASONS_WITHOUT_SAMPLING:
        made = {name: value for name, value in made.items() if name not in SAMPLING}
    return made


def silence_seconds(settings: Mapping[str, Any]) -> float:
    """How long a provider may say nothing before the call is given up."""
    return float(settings.get("timeout_seconds") or settings.get("timeout") or SILENCE_SECONDS)


def wire_message(message: Mapping[str, Any], family: str) -> Message | None:
    """One message for models of this family; None if it says nothing."""
    text = message.get("content") or ""
    is_blank = not text.strip()
    match message["role"]:
        case "tool":
            content = NO_OUTPUT if is_blank else text
            return {"role": "tool", "tool_call_id": wire_id(message["tool_call_id"]), "content": content}
        case "assistant" if message.get("tool_calls"):
            calls = [_wire_call(call) for call in message["tool_calls"]]
            wired: Message = {"role": "assistant", "content": None if is_blank else text, "tool_calls": calls}
        case role:
            if is_blank:
                return None
            wired = {"role": role, "content": _parts(text, message["images"]) if message.get("images") else text}
    if message.get("opaque") and message.get("family") == family:
        _give_back(wired, message["opaque"])
    return wired


def _parts(text: str, images: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The words, then the images that are at hand."""
    shown = [{"type": "image_url", "image_url": {"url": image["url"]}} for image in images if image.get("url")]
    return [{"type": "text", "text": text}, *shown]


def _wire_call(call: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": wire_id(call["id"]),
        "type": "function",
        "function": {"name": call["name"], "arguments": _object_text(call.get("arguments") or "")},
    }


def _object_text(arguments: str) -> str:
    """Arguments that are no JSON object break every later step at some providers; their result quotes them."""
    try:
        value = json.loads(arguments, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return "{}"
    if not isinstance(value, dict):
        return "{}"
    return _without_surrogates(value) if "\\ud" in arguments.lower() else arguments


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _without_surrogates(value: Mapping[str, Any]) -> str:
    """Some providers get the parsed object, and half a surrogate pair cannot be sent."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def _give_back(wired: Message, opaque: Mapping[str, Any]) -> None:
    """Signed reasoning and the like, verbatim, where it came from."""
    if blocks := opaque.get("thinking_blocks"):
        wired["thinking_blocks"] = blocks
    for index, fields in opaque.get("calls", {}).items():
        if int(index) < len(wired.get("tool_calls", ())):
            wired["tool_calls"][int(index)]["provider_specific_fields"] = fields


def _joined_to_results(messages: Iterable[Message]) -> Iterable[Message]:
    """A person's words straight after a tool result become a part of that result."""
    held: Message | None = None
    for message in messages:
        if held is not None and held["role"] == "tool" and message["role"] == "user":
            if not isinstance(message["content"], str):  # images cannot stand in a result
                yield held
                held = {"role": "assistant", "content": RESULT_READ}
                yield held
                held = message
                continue
            held = held | {"content": f"{held['content']}\n\n{message['content']}"}
            continue
        if held is not None:
            yield held
        held = message
    if held is not None:
        yield held


def _cache_marked(messages: list[Message]) -> list[Message]:
    """Marks the end of what stays: the system message, and the message before the last, which may be the tail."""
    marked = list(messages)
    for index in {0, max(0, len(messages) - 2)}:
        if index < len(marked) and isinstance(text := marked[index].get("content"), str):
            part = {"type": "text", "text": text, "cache_control": CACHE_MARK}
            marked[index] = marked[index] | {"content": [part]}
    return marked
