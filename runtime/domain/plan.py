"""The agent's plan: steps that depend on one another, ticked off as they are done. Pure."""

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.events import (
    AgentThought,
    ApprovalDecision,
    ApprovalWhy,
    PlanStep,
    ResultStatus,
    ThoughtKind,
    ToolRequest,
    ToolResult,
    Verdict,
)
from runtime.domain.gate import question
from runtime.domain.judging import Judged, Judging, refused
from runtime.domain.state import Call, State
from runtime.domain.tool import ApprovalPolicy

_ASKS = ApprovalPolicy("always")
_SETTLED = ("done", "skipped")
_MARKS = {"done": "[x]", "in_progress": "[>]", "pending": "[ ]", "skipped": "[-]"}

type Plan = tuple[PlanStep, ...]


def planned_by(request: ToolRequest, judging: Judging) -> Judged:
    """`update_plan`: taken at once, refused in words, or, where new steps need leave, a question to a person."""
    before = judging.state.dealings.plan
    plan = merged(before, _steps(request.args or {}))
    problem = plan_problem(plan, judging.agent)
    if problem:
        return refused(request, f"the plan is as it was: {problem}.")
    if judging.agent.planning.approval and _outline(plan) != _outline(before):
        asked = question(request, _ASKS, judging).model_copy(update={"why": ApprovalWhy.PLAN})
        return Judged(request, (asked,))
    return Judged(_thought(request, plan, before, judging.agent))


def planned_with_leave(state: State, agent: Agent, call: Call, decision: ApprovalDecision) -> AgentThought | ToolResult:
    """What a decision about a plan leads to; it is judged once more, since steps may have been done meanwhile."""
    who = decision.by or "A person"
    if decision.verdict is not Verdict.APPROVE:
        why = f" ({decision.reason.rstrip('.')})" if decision.reason else ""
        words = f"{who} said no to this plan{why}. The plan is as it was: do not carry this one out."
        return ToolResult(call_id=call.id, status=ResultStatus.DENIED, content=words, attempts=0)
    args = call.args if decision.edited_args is None else decision.edited_args
    before = state.dealings.plan
    plan = merged(before, _steps(args))
    problem = plan_problem(plan, agent)
    if problem:
        words = f"{who} gave leave, but the plan is as it was: {problem}."
        return ToolResult(call_id=call.id, status=ResultStatus.ERROR, content=words, attempts=0)
    changed = " with changes" if decision.edited_args is not None else ""
    thought = _thought(call.request, plan, before, agent)
    return thought.model_copy(update={"result": f"{who} approved the plan{changed}. {thought.result}"})


def merged(before: Plan, wanted: Plan) -> Plan:
    """The wanted steps; what was done before stays done, and stays in the plan."""
    done = {step.id: step for step in before if step.status == "done"}
    named = {step.id for step in wanted}
    return (*(step for step in done.values() if step.id not in named), *(done.get(step.id, step) for step in wanted))


def plan_problem(plan: Plan, agent: Agent) -> str:
    """Why this cannot be the plan; empty if it can."""
    policy, by_id = agent.planning, {step.id: step for step in plan}
    if len(by_id) < len(plan):
        return "two steps have the same id"
    if len(plan) > policy.max_steps:
        return f"it has {len(plan)} steps, and {policy.max_steps} is the most"
    for step in plan:
        unknown = next((name for name in step.after if name not in by_id), None)
        if unknown is not None:
            return f"the step {step.id} comes after {unknown}, which is no step of it"
    try:
        TopologicalSorter({step.id: step.after for step in plan}).prepare()
    except CycleError as error:
        return f"its steps wait for one another: {', '.join(dict.fromkeys(error.args[1]))}"
    return _progress_problem(plan, by_id, is_strict=policy.strict)


def _progress_problem(plan: Plan, by_id: dict[str, PlanStep], *, is_strict: bool) -> str:
    for step in plan:
        waits = [name for name in step.after if by_id[name].status not in _SETTLED]
        if step.status in ("in_progress", "done") and waits:
            return f"the step {step.id} cannot be {step.status.replace('_', ' ')} before {waits[0]} is done"
    at_work = [step.id for step in plan if step.status == "in_progress"]
    if is_strict and len(at_work) > 1:
        return f"one step at a time may be in progress, and these are: {', '.join(at_work)}"
    return ""


def plan_words(plan: Plan) -> str:
    """The plan as the model and people read it, a line a step."""
    return "\n".join(_line(step) for step in plan)


def _line(step: PlanStep) -> str:
    after = f" (after {', '.join(step.after)})" if step.after and step.status == "pending" else ""
    return f"{_MARKS[step.status]} {step.id}: {step.title}{after}"


def _outline(plan: Plan) -> Sequence[tuple[str, str, tuple[str, ...]]]:
    """What leave is given for: the steps and their order, not how far they are."""
    return [(step.id, step.title, step.after) for step in plan]


def _steps(args: dict[str, Any]) -> Plan:
    given = args.get("steps")
    return tuple(
        PlanStep(
            id=str(step.get("id")),
            title=str(step.get("title")),
            status=step.get("status") or "pending",
            after=tuple(step.get("after") or ()),
        )
        for step in (given if isinstance(given, list) else ())
    )


def _thought(request: ToolRequest, plan: Plan, before: Plan, agent: Agent) -> AgentThought:
    done = sum(step.status in _SETTLED for step in plan)
    kept = [step.id for step in merged(before, ()) if step.id not in {one.get("id") for one in _given(request)}]
    note = f" Steps that were done stay in it: {', '.join(kept)}." if kept else ""
    return AgentThought(
        call_id=request.call_id,
        tool=request.tool,
        args=request.args,
        result=f"The plan is taken: {done} of {len(plan)} steps are done.{note}",
        content=plan_words(plan) or "The plan is empty.",
        kind=ThoughtKind.PLAN,
        plan=plan,
        shown=agent.show_thoughts,
    )


def _given(request: ToolRequest) -> list[dict[str, Any]]:
    return (request.args or {}).get("steps") or []
