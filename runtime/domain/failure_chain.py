"""What follows when a call has failed for good: its fallback, and, when the work is given up, its undoing. Pure."""

from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.events import ResultStatus, ToolRole, ToolStarted
from runtime.domain.machine import is_allowed
from runtime.domain.state import Call, State
from runtime.domain.taint import leak_of
from runtime.domain.tool import ToolSpec

_FAILED = (ResultStatus.ERROR, ResultStatus.TIMED_OUT)


def fallback_of(state: State, agent: Agent, call: Call, status: ResultStatus) -> ToolSpec | None:
    """The tool to use in its place; none for a call that has one already, or whose fallback needs leave of its own."""
    spec = agent.any_tool(call.tool)
    if status not in _FAILED or spec is None or not spec.fallback or call.role is not ToolRole.CALL or not call.is_open:
        return None
    fallback = agent.any_tool(spec.fallback)
    if fallback is None or fallback.approval.when != "never" or leak_of(state, agent, fallback):
        return None
    machine, name = agent.machine, state.dealings.business.name
    if machine is not None and not is_allowed(machine, name, fallback.name):
        return None
    return fallback


def fallback_begins(call: Call, fallback: ToolSpec, why: str) -> ToolStarted:
    return ToolStarted(call_id=call.id, attempt=1, role=ToolRole.FALLBACK, tool=fallback.name, why=why)


def compensation_args(call: Call, spec: ToolSpec) -> dict[str, Any]:
    """The arguments of a compensating tool: the call's by the same names, `arguments` and `result` if it has them."""
    named = set(spec.schema.get("properties", {}))
    result = call.result.content if call.result is not None else ""
    given = {**call.args, "arguments": call.args, "result": result}
    return {name: value for name, value in given.items() if name in named}


def story(call: Call, content: str, status: ResultStatus) -> str:
    """What the model is told of how a call came to its result, when that was not the straight way."""
    parts = []
    if call.decision is not None and call.decision.edited_args is not None:
        parts.append(f"Approved with changes{_by(call)}: {_changes(call)}.")
    if call.decision is not None and call.decision.reason:
        parts.append(f"{call.decision.by or 'The person who approved'} says: {call.decision.reason}")
    if call.role is ToolRole.FALLBACK:
        used = "was used instead, and failed too" if status in _FAILED else "was used instead"
        parts.append(f"{call.tool} failed: {call.why.rstrip('.')}. {call.runs} {used}:")
    return "\n".join([*parts, content])


def _by(call: Call) -> str:
    return f" by {call.decision.by}" if call.decision is not None and call.decision.by else ""


def _changes(call: Call) -> str:
    before, after = call.request.args or {}, call.args
    changed = [name for name in {**before, **after} if _shown(before, name) != _shown(after, name)]
    return ", ".join(f"{name} {_shown(before, name)} → {_shown(after, name)}" for name in changed) or "none"


def _shown(args: dict[str, Any], name: str) -> str:
    return str(args[name]) if name in args else "nothing"
