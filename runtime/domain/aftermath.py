"""What a decision gives its call: a result, a move of the business state, or nothing but leave to run."""

from runtime.domain.agent import Agent
from runtime.domain.deciding import counts, releases
from runtime.domain.events import (
    ApprovalDecision,
    ApprovalWhy,
    Payload,
    ResultStatus,
    ToolResult,
    Verdict,
)
from runtime.domain.moves import moved_with_leave
from runtime.domain.plan import planned_with_leave
from runtime.domain.state import Call, State
from runtime.domain.trajectory import Draft


def follow_from(state: State, agent: Agent, source: str, decision: ApprovalDecision, at: int) -> list[Draft]:
    """The events behind a decision. `state` is that before it; `at` in microseconds."""
    call = state.call(decision.call_id)
    if call is None or call.question is None or not counts(call, source, decision):
        return []
    payload = _consequence(state, agent, call, source, decision, at)
    return [] if payload is None else [Draft(payload, step=call.step, cause=call.seq)]


def _consequence(
    state: State, agent: Agent, call: Call, source: str, decision: ApprovalDecision, at: int
) -> Payload | None:
    assert call.question is not None
    is_denied = decision.verdict is Verdict.DENY
    if call.question.why is ApprovalWhy.TRANSITION:
        if is_denied or releases(call, source, decision):
            return moved_with_leave(state, agent, call, decision, at)
        return None
    if call.question.why is ApprovalWhy.PLAN:
        if is_denied or releases(call, source, decision):
            return planned_with_leave(state, agent, call, decision)
        return None
    if call.is_gated:
        return _denial(call, decision) if is_denied else None
    return _outcome(call, decision)


def _denial(call: Call, decision: ApprovalDecision) -> ToolResult:
    why = f" ({decision.reason.rstrip('.')})" if decision.reason else ""
    content = f"{decision.by or 'A person'} said no{why}. Nothing was done."
    return ToolResult(call_id=call.id, status=ResultStatus.DENIED, content=content, attempts=0)


def _outcome(call: Call, decision: ApprovalDecision) -> ToolResult | None:
    """What a person says became of a call whose outcome was not known."""
    late, attempts = not call.is_open, max(1, call.attempt)
    match decision.verdict:
        case Verdict.HAPPENED:
            return ToolResult(call_id=call.id, content=decision.result, attempts=attempts, late=late)
        case Verdict.SKIP | Verdict.DENY:
            who = decision.by or "A person"
            why = f" ({decision.reason})" if decision.reason else ""
            content = f"{who} chose to go on without it{why}. Whether it took effect is not known."
            return ToolResult(
                call_id=call.id, status=ResultStatus.UNKNOWN, content=content, attempts=attempts, late=late
            )
        case _:
            return None
