"""What a model returned in one step: put together from pieces, and written down whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.agent import FRAMEWORK_CALLS, Agent
from runtime.domain.arguments import canonical, parse
from runtime.domain.events import (
    AgentOutput,
    AgentThought,
    LimitKind,
    LimitReached,
    ResultStatus,
    RolloutPaused,
    StepCompleted,
    ToolRequest,
    ToolResult,
)
from runtime.domain.state import State
from runtime.domain.trajectory import AGENT, SYSTEM, Draft

REPEATS_TOLD = 3
REPEATS_PAUSED = 5
MAX_CALLS_PER_STEP = 128  # OpenAI refuses every later prompt over a message with more
REFUSED = "The model refused to answer, and said no more. Ask in other words."
CUT_OFF = "The model's answer was cut off at its length limit before it said anything. Raise max_tokens."

CheckArguments = Callable[[Mapping[str, Any], dict[str, Any]], str | None]
"""(JSON Schema, arguments) to a sentence that names the wrong field, or None."""


@dataclass(slots=True)
class Asked:
    """A call as the model writes it, its arguments piece by piece."""

    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)


@dataclass(slots=True)
class Reply:
    """Grows while it streams, until it is closed. `calls` by the provider's index, in order of appearance."""

    is_closed: bool = False
    output: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    calls: dict[int, Asked] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(self.output)

    @property
    def is_empty(self) -> bool:
        return not self.text.strip() and not self.calls


def recorded(state: State, agent: Agent, reply: Reply, completed: StepCompleted, check: CheckArguments) -> list[Draft]:
    """The one transaction of a step: thoughts, actions, `step.completed`, and results that need nothing to run."""
    assert state.step is not None
    number = state.step.number
    drafts: list[Draft] = []
    thought = "".join(reply.thought)
    is_refused = reply.is_empty and completed.finish_reason == "refusal"
    if thought.strip():
        drafts.append(Draft(AgentThought(content=thought), AGENT, number))
    if reply.text.strip():
        drafts.append(Draft(AgentOutput(content=reply.text), AGENT, number))
    elif is_refused:
        drafts.append(Draft(AgentOutput(content=REFUSED), SYSTEM, number))
    elif reply.is_empty and state.empties:
        sentence = CUT_OFF if completed.finish_reason == "length" else _no_answer(state, agent)
        drafts.append(Draft(AgentOutput(content=sentence), SYSTEM, number))
    kept = list(reply.calls.values())[:MAX_CALLS_PER_STEP]
    requests = [_request(number, index, asked) for index, asked in enumerate(kept)]
    drafts.extend(Draft(request, AGENT, number) for request in requests)
    finish = "empty" if reply.is_empty and not is_refused else completed.finish_reason
    drafts.append(Draft(completed.model_copy(update={"finish_reason": finish}), step=number))
    drafts.extend(_refusals(state, agent, requests, check, left_out=len(reply.calls) - len(requests)))
    drafts.extend(_limits(state, agent, requests))
    return drafts


def _request(number: int, index: int, asked: Asked) -> ToolRequest:
    written = asked.arguments
    args = parse(written)
    raw = "" if args is not None else written
    return ToolRequest(call_id=f"{number}.{index}", tool=asked.name or "unnamed", args=args, args_raw=raw)


def _no_answer(state: State, agent: Agent) -> str:
    match state.turn.limit:
        case LimitKind.TOOL_CALLS:
            why = f"It had made the {agent.limits.max_tool_calls} tool calls that it may make in one turn."
        case LimitKind.STEPS:
            why = f"It had taken the {agent.limits.max_steps} steps that it may take in one turn."
        case _:
            why = "It was asked twice."
    return f"The model gave no answer. {why} Send a message to go on."


def _refusals(
    state: State, agent: Agent, requests: list[ToolRequest], check: CheckArguments, *, left_out: int
) -> list[Draft]:
    """Results of calls that are never run, in call order; the last one tells of those that were left out."""
    assert state.step is not None
    drafts: list[Draft] = []
    room = agent.limits.max_tool_calls - state.turn.tool_calls
    for request in requests:
        counts = request.tool not in FRAMEWORK_CALLS
        room -= counts
        refusal = _refusal(state, agent, request, check, over_limit=counts and room < 0)
        if left_out and request is requests[-1]:
            refusal = ResultStatus.LIMIT, _too_many(left_out)
        if refusal is not None:
            status, content = refusal
            result = ToolResult(call_id=request.call_id, status=status, content=content, attempts=0)
            drafts.append(Draft(result, step=state.step.number))
    return drafts


def _too_many(left_out: int) -> str:
    return (
        f"one answer may have {MAX_CALLS_PER_STEP} calls. This one and {left_out} after it were left out and did not "
        "run. Ask for fewer at once."
    )


def _refusal(
    state: State, agent: Agent, request: ToolRequest, check: CheckArguments, *, over_limit: bool
) -> tuple[ResultStatus, str] | None:
    assert state.step is not None
    if state.step.withheld:
        return ResultStatus.LIMIT, "tools were not to be used in this step."
    if over_limit:
        most = agent.limits.max_tool_calls
        return ResultStatus.LIMIT, f"the limit of {most} tool calls a turn is reached. Answer with what you have."
    spec = agent.tool(request.tool)
    if spec is None:
        names = ", ".join(spec.name for spec in agent.tools) or "none"
        return ResultStatus.ERROR, f"there is no tool named {request.tool}. Your tools: {names}."
    if request.args is None:
        return ResultStatus.ERROR, f"the arguments are no JSON object, so it did not run. You wrote: {request.args_raw}"
    problem = check(spec.schema, request.args)
    return None if problem is None else (ResultStatus.ERROR, f"it did not run: {problem}")


def _limits(state: State, agent: Agent, requests: list[ToolRequest]) -> list[Draft]:
    drafts: list[Draft] = []
    counted = sum(request.tool not in FRAMEWORK_CALLS for request in requests)
    if not requests or (state.step is not None and state.step.withheld):
        return drafts
    if state.turn.tool_calls + counted > agent.limits.max_tool_calls:
        reached = LimitReached(what=LimitKind.TOOL_CALLS, limit=agent.limits.max_tool_calls)
        drafts.append(Draft(reached))
    elif state.turn.steps >= agent.limits.max_steps:
        drafts.append(Draft(LimitReached(what=LimitKind.STEPS, limit=agent.limits.max_steps)))
    if _longest_row(state, requests) >= REPEATS_PAUSED:
        drafts.append(Draft(LimitReached(what=LimitKind.REPEATED_CALL, limit=REPEATS_PAUSED)))
        reason = f"The agent made the same call {REPEATS_PAUSED} times in a row."
        drafts.append(Draft(RolloutPaused(by="Studio", reason=reason)))
    return drafts


def _longest_row(state: State, requests: list[ToolRequest]) -> int:
    signature, count = state.repeated
    longest = 0
    for request in requests:
        here = f"{request.tool} {canonical(request.args) if request.args is not None else request.args_raw}"
        count = count + 1 if here == signature else 1
        signature, longest = here, max(longest, count)
    return longest


def repeat_note(repeats: int) -> str:
    """What a result says of a call that was made again and again."""
    if repeats < REPEATS_TOLD:
        return ""
    return f"\n\n(You made this same call with the same arguments {repeats} times in a row. Do something else.)"
