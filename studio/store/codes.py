"""Event types and common sources as the small codes of the event table. A code is never given to another type."""

TYPE_CODES: dict[str, int] = {
    "user.input": 1,
    "agent.input": 2,
    "tool.result": 3,
    "external.trigger": 4,
    "approval.decision": 5,
    "memory.recalled": 6,
    "supervisor.instruction": 20,
    "user.interrupt": 21,
    "agent.interrupt.received": 22,
    "timer.trigger": 23,
    "agent.thought": 40,
    "agent.output": 50,
    "tool.request": 51,
    "approval.request": 52,
    "state.update": 53,
    "agent.invocation": 54,
    "agent.response": 55,
    "agent.message": 56,
    "agent.interrupt": 57,
    "agent.escalation": 58,
    "timer.set": 59,
    "timer.cancel": 60,
    "rollout.started": 80,
    "rollout.paused": 81,
    "rollout.resumed": 82,
    "rollout.moved": 83,
    "rollout.completed": 84,
    "rollout.failed": 85,
    "rollout.cancelled": 86,
    "step.started": 90,
    "step.completed": 91,
    "step.aborted": 92,
    "tool.started": 93,
    "limit.reached": 94,
    "context.compacted": 95,
}
TYPE_OF_CODE: dict[int, str] = {code: type_ for type_, code in TYPE_CODES.items()}

_SOURCE_CODES: dict[str, str | None] = {"system": None, "agent": "a"}
_SOURCE_OF_CODE: dict[str | None, str] = {code: source for source, code in _SOURCE_CODES.items()}


def source_code(source: str) -> str | None:
    """None for the system, one letter for the agent; the ids of participants stay as they are."""
    return _SOURCE_CODES.get(source, source)


def source_of_code(code: str | None) -> str:
    return _SOURCE_OF_CODE.get(code) or code or ""
