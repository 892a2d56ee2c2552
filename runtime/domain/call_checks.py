"""The calls of one step, judged one by one: refused, answered at once, put before a person, or let run."""

from runtime.domain.agent import MEMORY_CALLS, UPDATE_PLAN, UPDATE_STATE, Agent, is_framework_call
from runtime.domain.events import ResultStatus, ToolRequest
from runtime.domain.framework_calls import is_answered_here, judged_here
from runtime.domain.gate import gated
from runtime.domain.judging import Judged, Judging, refused
from runtime.domain.machine import is_allowed
from runtime.domain.tool import Label

MAX_CALLS_PER_STEP = 128  # OpenAI refuses every later prompt over a message with more


def judge_calls(requests: list[ToolRequest], judging: Judging, *, left_out: int) -> list[Judged]:
    """What is recorded of each, in call order. Moves of the state are judged first, the rest in the new state."""
    over = _over_limit(requests, judging)
    judged: dict[str, Judged] = {}
    for request in sorted(requests, key=lambda request: request.tool != UPDATE_STATE):
        if left_out and request is requests[-1]:
            judged[request.call_id] = refused(request, _too_many(left_out), ResultStatus.LIMIT)
        elif request.call_id in over:
            most = judging.limits.max_tool_calls
            sentence = f"the limit of {most} tool calls a turn is reached. Answer with what you have."
            judged[request.call_id] = refused(request, sentence, ResultStatus.LIMIT)
        else:
            judged[request.call_id] = _judge(request, judging)
    return [judged[request.call_id] for request in requests]


def needs_facts(tools: list[str], agent: Agent) -> bool:
    """Whether one of these calls cannot be judged from the trajectory alone."""
    for name in tools:
        spec = agent.tool(name)
        if spec is None:
            continue
        may_ask = spec.approval.when != "never" or Label.SENDS_EXTERNAL in spec.labels
        if may_ask or (is_answered_here(name) and name not in _FACTLESS):
            return True
    return False


_FACTLESS = frozenset(
    {UPDATE_PLAN, UPDATE_STATE, "set_timer", "cancel_timer", "note", "pause", "escalate", "cancel_call", *MEMORY_CALLS}
)


def _judge(request: ToolRequest, judging: Judging) -> Judged:
    assert judging.state.step is not None
    if judging.state.step.withheld:
        return refused(request, "tools were not to be used in this step.", ResultStatus.LIMIT)
    spec = judging.agent.tool(request.tool)
    if spec is None:
        names = ", ".join(spec.name for spec in judging.agent.tools) or "none"
        return refused(request, f"there is no tool named {request.tool}. Your tools: {names}.")
    if request.args is None:
        return refused(request, f"the arguments are no JSON object, so it did not run. You wrote: {request.args_raw}")
    problem = judging.check(spec.schema, request.args)
    if problem is not None:
        return refused(request, f"it did not run: {problem}")
    machine, name = judging.agent.machine, judging.business.name
    if machine is not None and not is_allowed(machine, name, request.tool):
        return refused(request, f"the state {name} does not allow {request.tool}, so it did not run.")
    if is_answered_here(request.tool):
        return judged_here(request, judging)
    return gated(request, spec, judging)


def _over_limit(requests: list[ToolRequest], judging: Judging) -> set[str]:
    room = judging.limits.max_tool_calls - judging.state.turn.tool_calls
    counted = [request.call_id for request in requests if not is_framework_call(request.tool)]
    return set(counted[max(0, room) :])


def _too_many(left_out: int) -> str:
    return (
        f"one answer may have {MAX_CALLS_PER_STEP} calls. This one and {left_out} after it were left out and did not "
        "run. Ask for fewer at once."
    )
