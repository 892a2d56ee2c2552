"""What a model returned in one step: put together from pieces, and written down whole."""

from dataclasses import dataclass, field, replace

from runtime.domain.agent import Limits, is_framework_call
from runtime.domain.arguments import canonical, parse
from runtime.domain.call_checks import MAX_CALLS_PER_STEP, judge_calls
from runtime.domain.events import (
    AgentOutput,
    AgentThought,
    LimitKind,
    LimitReached,
    RolloutPaused,
    StepCompleted,
    ToolRequest,
)
from runtime.domain.judging import Judged, Judging
from runtime.domain.state import CALLER, State
from runtime.domain.structured import structured_outputs
from runtime.domain.trajectory import AGENT, SYSTEM, Draft

REPEATS_TOLD = 3
REPEATS_PAUSED = 5
REFUSED = "The model refused to answer, and said no more. Ask in other words."
CUT_OFF = "The model's answer was cut off at its length limit before it said anything. Raise max_tokens."


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


def recorded(reply: Reply, completed: StepCompleted, judging: Judging) -> list[Draft]:
    """The one transaction of a step: thoughts, actions, `step.completed`, and what follows from them at once."""
    state = judging.state
    assert state.step is not None
    number = state.step.number
    drafts: list[Draft] = []
    thought = "".join(reply.thought)
    is_refused = reply.is_empty and completed.finish_reason == "refusal"
    to = "" if state.speaks_to_people else CALLER
    if thought.strip():
        drafts.append(Draft(AgentThought(content=thought, shown=judging.agent.show_thoughts), AGENT, number))
    if reply.text.strip() and _is_structured(reply, judging):
        drafts.extend(structured_outputs(reply.text, to, number, completed, judging))
    elif reply.text.strip():
        drafts.append(Draft(AgentOutput(content=reply.text, to=to), AGENT, number))
    elif is_refused:
        drafts.append(Draft(AgentOutput(content=REFUSED, to=to), SYSTEM, number))
    elif reply.is_empty and state.empties:
        sentence = CUT_OFF if completed.finish_reason == "length" else _no_answer(state, judging.limits)
        drafts.append(Draft(AgentOutput(content=sentence, to=to), SYSTEM, number))
    kept = list(reply.calls.values())[:MAX_CALLS_PER_STEP]
    requests = [_request(number, index, asked) for index, asked in enumerate(kept)]
    judged = judge_calls(requests, judging, left_out=len(reply.calls) - len(requests))
    drafts.extend(Draft(one.recorded, AGENT, number) for one in judged)
    finish = "empty" if reply.is_empty and not is_refused else completed.finish_reason
    drafts.append(Draft(completed.model_copy(update={"finish_reason": finish}), step=number))
    drafts.extend(draft for one in judged for draft in _after(one, number))
    drafts.extend(_limits(state, judging.limits, requests))
    return drafts


def _after(judged: Judged, number: int) -> list[Draft]:
    """What follows behind the step's end for one call; the first of it records what is written to the memory."""
    drafts = [Draft(payload, step=number) for payload in judged.after]
    return [replace(drafts[0], writes=judged.writes), *drafts[1:]] if judged.writes else drafts


def _is_structured(reply: Reply, judging: Judging) -> bool:
    """Whether it is a final answer that must have a form; the account after a stop is told in plain words."""
    return judging.agent.output_schema is not None and not reply.calls and judging.state.stop is None


def _request(number: int, index: int, asked: Asked) -> ToolRequest:
    written = asked.arguments
    args = parse(written)
    raw = "" if args is not None else written
    return ToolRequest(call_id=f"{number}.{index}", tool=asked.name or "unnamed", args=args, args_raw=raw)


def _no_answer(state: State, limits: Limits) -> str:
    match state.turn.limit:
        case LimitKind.TOOL_CALLS:
            why = f"It had made the {limits.max_tool_calls} tool calls that it may make in one turn."
        case LimitKind.STEPS:
            why = f"It had taken the {limits.max_steps} steps that it may take in one turn."
        case _:
            why = "It was asked twice."
    return f"The model gave no answer. {why} Send a message to go on."


def _limits(state: State, limits: Limits, requests: list[ToolRequest]) -> list[Draft]:
    drafts: list[Draft] = []
    counted = sum(not is_framework_call(request.tool) for request in requests)
    if not requests or (state.step is not None and state.step.withheld):
        return drafts
    if state.turn.tool_calls + counted > limits.max_tool_calls:
        reached = LimitReached(what=LimitKind.TOOL_CALLS, limit=limits.max_tool_calls)
        drafts.append(Draft(reached))
    elif state.turn.steps >= limits.max_steps:
        drafts.append(Draft(LimitReached(what=LimitKind.STEPS, limit=limits.max_steps)))
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
