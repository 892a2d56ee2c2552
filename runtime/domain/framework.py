"""The framework's own calls as the model is told of them; `runtime.tools` has `read_artifact`, which runs as a tool.

Source: runtime.md, 6 and 9; ADR 0006: an agent without tools, sub-agents and states gets none.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.domain.agent import CANCEL_CALL, MEMORY_CALLS, UPDATE_PLAN, UPDATE_STATE, invoke_name
from runtime.domain.definition import AgentGrant, Definition, Planning, StateMachine, Variable
from runtime.domain.memory import KEY_CHARACTERS, VALUE_CHARACTERS
from runtime.domain.tool import ToolSpec

type Schema = dict[str, Any]

CALLER = "caller"
TASK_CHARACTERS_AT_MOST = 60_000


def framework_specs(
    definition: Definition, descriptions: Mapping[str, str], *, has_peers: bool = False
) -> tuple[ToolSpec, ...]:
    """The calls that this agent is offered, always in the same order.

    `descriptions`: what the files of other agents say of themselves, by name. `has_peers`: a workflow lets it interrupt
    agents that it did not invoke.
    """
    tools = definition.tools
    remembered = definition.memory.tools if definition.memory is not None else ()
    if not (tools or definition.agents or definition.states or remembered or definition.planning.enabled):
        return ()
    goes_on = any(tool.mode == "async" for tool in tools) or any(one.mode == "background" for one in definition.agents)
    return tuple(_specs(definition, descriptions, has_peers=has_peers, goes_on=goes_on))


def _specs(
    definition: Definition, descriptions: Mapping[str, str], *, has_peers: bool, goes_on: bool
) -> Iterator[ToolSpec]:
    if definition.states is not None:
        yield _update_state(definition.states)
    if definition.planning.enabled:
        yield _update_plan(definition.planning)
    for grant in definition.agents:
        yield _invoke(grant, descriptions.get(grant.name, ""))
    if definition.agents or has_peers:
        yield from (_MESSAGE_AGENT, _INTERRUPT_AGENT)
    yield from (_SEND_MESSAGE, _SET_TIMER, _CANCEL_TIMER, _ESCALATE)
    if goes_on:
        yield _CANCEL_CALL
    yield from (_NOTE, _PAUSE)
    if definition.memory is not None:
        yield from (_OF_MEMORY[name] for name in MEMORY_CALLS if name in definition.memory.tools)


def _spec(name: str, description: str, properties: Mapping[str, Schema], required: tuple[str, ...]) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema, framework=True)


def _text(description: str, most: int = TASK_CHARACTERS_AT_MOST) -> Schema:
    return {"type": "string", "maxLength": most, "description": description}


def _needed(description: str, most: int = TASK_CHARACTERS_AT_MOST) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most, "description": description}


def _update_state(machine: StateMachine) -> ToolSpec:
    properties: dict[str, Schema] = {
        "to": {
            "type": "string",
            "enum": list(machine.states),
            "description": "The state to move to; the present one, to change variables only.",
        },
        "reason": _text("Why, in a sentence.", 2000),
    }
    if machine.variables:
        properties["set"] = {
            "type": "object",
            "properties": {name: _variable(one) for name, one in machine.variables.items()},
            "additionalProperties": False,
            "description": "Variables to set, with their new values.",
        }
    return _spec(
        UPDATE_STATE,
        "Move the work to another business state, or keep what was learnt in its variables. Call it as soon as what a "
        "move waits for is true; a move that is not allowed changes nothing and tells which are.",
        properties,
        ("to",),
    )


def _update_plan(planning: Planning) -> ToolSpec:
    step: Schema = {
        "type": "object",
        "properties": {
            "id": _needed("Short and lasting, such as a or look-up.", 40),
            "title": _needed("What is done in it, in a few words.", 300),
            "status": {"type": "string", "enum": ["pending", "in_progress", "done", "skipped"]},
            "after": {"type": "array", "items": {"type": "string"}, "description": "Ids of steps it waits for."},
        },
        "required": ["id", "title", "status"],
        "additionalProperties": False,
    }
    steps: Schema = {"type": "array", "maxItems": planning.max_steps, "items": step}
    steps["description"] = "The whole plan, in order. Steps that are done stay in it."
    one = "Keep exactly one step in progress while you work. " if planning.strict else ""
    leave = "New or changed steps need a person's leave; a no means that you do not carry them out. "
    return _spec(
        UPDATE_PLAN,
        "Write down your plan for work of several steps, and tick its steps off as you go: send the whole plan each "
        f"time, also when it changes. {one}{leave if planning.approval else ''}".strip(),
        {"steps": steps},
        ("steps",),
    )


def _variable(variable: Variable) -> Schema:
    items: Schema = {"items": {}} if variable.type == "array" else {}  # some providers refuse an array without
    described: Schema = {"description": variable.description} if variable.description else {}
    return {"type": variable.type, **items, **described}


def _invoke(grant: AgentGrant, description: str) -> ToolSpec:
    said = " ".join(description.split()).rstrip(".")
    what = f"Give a task to the agent {grant.name}{f': {said}' if said else ''}."
    if grant.mode == "background":
        how = "It works while you go on; its answer comes later as a message of its own."
    else:
        how = "You get its answer as the result."
    spec = _spec(
        invoke_name(grant.name),
        f"{what} {how}",
        {"task": _needed("The whole task, with everything that it needs to know: it does not see your conversation.")},
        ("task",),
    )
    return spec if grant.mode == "wait" else _in_background(spec)


def _in_background(spec: ToolSpec) -> ToolSpec:
    return ToolSpec(spec.name, spec.description, spec.schema, framework=True, runs_async=True)


_TO_AGENT = _needed("The agent's name, or the id of its rollout if several work for you.", 200)

_MESSAGE_AGENT = _spec(
    "message_agent",
    "Send a message to an agent that you gave a task and that is still at work, or that has answered. It does not "
    "disturb what it does just now.",
    {"to": _TO_AGENT, "content": _needed("What to tell it.")},
    ("to", "content"),
)

_INTERRUPT_AGENT = _spec(
    "interrupt_agent",
    "Interrupt an agent that works for you: what it does just now is cut off, and it reads this at once. Only when "
    "going on would be wrong.",
    {"to": _TO_AGENT, "content": _text("What has changed and what it is to do; empty = it is to stop.")},
    ("to",),
)

_SEND_MESSAGE = _spec(
    "send_message",
    "Send a message to one participant, when your plain answer would go to somebody else or you must ask and wait. "
    "With wait, the call ends with that person's answer.",
    {
        "to": _needed(f"A person's name, or {CALLER} for whoever gave you this task.", 200),
        "content": _needed("What to say or ask."),
        "wait": {"type": "boolean", "description": "Whether to wait for the answer. Default: false."},
        "form": {
            "type": "object",
            "description": "With wait: a JSON Schema of type object; the person fills in a form made of it.",
        },
    },
    ("to", "content"),
)

_SET_TIMER = _spec(
    "set_timer",
    "Be woken later: you need not wait or ask, your work goes on when the timer goes off. Give either after_seconds or "
    "at.",
    {
        "after_seconds": {"type": "number", "minimum": 0, "description": "Seconds from now."},
        "at": _text("A time such as 2026-12-31T09:00 (in the time zone given) or 2026-12-31T09:00Z.", 60),
        "note": _needed("What to do then; you read it when the timer goes off.", 2000),
        "every": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,3}[mhdw]$",
            "description": "Repeat it at this interval, such as 15m, 1h, 1d or 1w.",
        },
        "timezone": _text("IANA time zone such as Europe/Berlin, for `at` and for days and weeks. Default: UTC.", 60),
        "urgent": {"type": "boolean", "description": "Whether it cuts off what you do at that time. Default: false."},
    },
    ("note",),
)

_CANCEL_TIMER = _spec(
    "cancel_timer",
    "Cancel a timer that you set, also one that repeats.",
    {"timer_id": _needed("The id that set_timer answered.", 100)},
    ("timer_id",),
)

_ESCALATE = _spec(
    "escalate",
    "Tell a supervisor that you are stuck, unsure about something that matters, or beyond what you may do. You go on "
    "meanwhile; the answer comes as an instruction.",
    {
        "reason": _needed("What is the matter.", 4000),
        "question": _text("What you need to know or to be decided.", 4000),
        "severity": {"type": "string", "enum": ["low", "normal", "high", "critical"]},
        "deadline_seconds": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 366 * 86_400,
            "description": "How long an answer can wait.",
        },
        "then": {
            "type": "string",
            "enum": ["continue", "pause", "cancel"],
            "description": "What happens if nobody answers by the deadline. Default: continue.",
        },
    },
    ("reason",),
)

_CANCEL_CALL = _spec(
    CANCEL_CALL,
    "Cancel one of your calls that still runs in the background.",
    {"call_id": _needed("The call, such as 3.0, as its receipt named it.", 40)},
    ("call_id",),
)

_NOTE = _spec(
    "note",
    "Write down a thought for later steps and for those who read the trajectory; nobody is sent it.",
    {"content": _needed("The note.")},
    ("content",),
)

_PAUSE = _spec(
    "pause",
    "Pause your own work until a person resumes it. Only when going on without a person would be wrong; to wait for an "
    "answer or a time, use send_message or set_timer.",
    {"reason": _needed("Why, for the person who finds it paused.", 2000)},
    ("reason",),
)

_KEYS = "Keys such as language, or beginnings such as orders.* for all keys that start so; * for all."

_MEMORY_KEY = _needed(
    "The key: small letters, digits, dots, dashes and underscores, such as orders.last.", KEY_CHARACTERS
)

_OF_MEMORY = {
    spec.name: spec
    for spec in (
        _spec(
            "remember",
            "Keep a value under a key in the long-term memory of the person you talk to, for later conversations. It "
            "takes the place of what stood there; earlier values are kept beside it.",
            {
                "key": _MEMORY_KEY,
                "value": _needed("What to keep, in a few words; a JSON text if it is a list.", VALUE_CHARACTERS),
            },
            ("key", "value"),
        ),
        _spec(
            "recall",
            "Read values from the long-term memory of the person you talk to.",
            {"keys": {"type": "array", "items": _MEMORY_KEY, "minItems": 1, "maxItems": 50, "description": _KEYS}},
            ("keys",),
        ),
        _spec(
            "search_memory",
            "Search the long-term memory of the person you talk to by words in its keys and values.",
            {"query": _needed("The words to look for; beginnings of words are enough.", 400)},
            ("query",),
        ),
        _spec(
            "forget",
            "Take a value out of the long-term memory of the person you talk to, when it is wrong or no longer wanted.",
            {"key": _MEMORY_KEY},
            ("key",),
        ),
    )
}
