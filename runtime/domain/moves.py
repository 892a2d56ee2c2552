"""Moves of the business state that the model asks for, that a person gave leave for, and that time makes."""

from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.arguments import parse
from runtime.domain.dealings import Business
from runtime.domain.events import ApprovalDecision, ResultStatus, StateUpdate, ToolRequest, Verdict
from runtime.domain.gate import question
from runtime.domain.judging import Judged, Judging
from runtime.domain.machine import Move, forced, is_final, judge
from runtime.domain.state import Call, Shown, State
from runtime.domain.tool import ApprovalPolicy
from runtime.domain.trajectory import STUDIO

_ASKS = ApprovalPolicy("always")


def moved_by(request: ToolRequest, judging: Judging) -> Judged:
    """`update_rollout_state`: done at once, refused in words, or a question to a person."""
    move = _judged(judging.state, judging.agent, judging.business, request, judging.at)
    now = judging.business
    if move.accepted and move.needs_approval:
        return Judged(request, (question(request, _ASKS, judging, to_state=move.to),))
    if move.accepted:
        since = now.since if move.to == now.name else judging.at
        judging.business = Business(move.to, {**now.vars, **move.set}, since)
    return Judged(_update(request, now.name, move))


def moved_with_leave(state: State, agent: Agent, call: Call, decision: ApprovalDecision, at: int) -> StateUpdate:
    """What a decision about a move leads to; the move is judged once more, since much may have happened."""
    now, to = state.dealings.business, call.question.to_state if call.question else ""
    request = call.request.model_copy(
        update={"args": call.args if decision.edited_args is None else decision.edited_args}
    )
    if decision.verdict is not Verdict.APPROVE:
        why = f": {decision.reason}" if decision.reason else ""
        sentence = f"{decision.by or 'A person'} said no to the move to {to}{why}. The state stays {now.name}."
        refusal = Move(False, to, error=sentence)
        return _update(request, now.name, refusal, ResultStatus.DENIED, by=decision.by)
    move = _judged(state, agent, now, request, at)
    return _update(request, now.name, move, by=decision.by)


def overstayed(state: State, agent: Agent, to: str) -> StateUpdate:
    """The move that the end of the longest stay makes."""
    assert agent.machine is not None
    now = state.dealings.business
    move = forced(agent.machine, now.name, now.vars, to=to, set={})
    return StateUpdate(
        from_state=now.name,
        to_state=move.to,
        set=dict(move.set),
        reason=f"It was in {now.name} for as long as it may be.",
        accepted=move.accepted,
        error=move.error,
        by=STUDIO,
        wakes_model=move.accepted and not is_final(agent.machine, move.to),
    )


def _judged(state: State, agent: Agent, now: Business, request: ToolRequest, at: int) -> Move:
    assert agent.machine is not None
    args = request.args or {}
    return judge(
        agent.machine,
        now.name,
        now.vars,
        to=args.get("to") or "",
        set=args.get("set") or {},
        args=args,
        result=_last_result(state),
        at=at,
        user={"id": state.turn.user_id, "name": state.turn.user},
    )


def _update(
    request: ToolRequest, before: str, move: Move, refusal: ResultStatus = ResultStatus.ERROR, by: str = ""
) -> StateUpdate:
    words = f"The state is {move.to} now." if move.to != before else "The variables are set."
    leave = f"{by} gave leave. " if by else ""
    return StateUpdate(
        call_id=request.call_id,
        tool=request.tool,
        args=request.args,
        from_state=before,
        to_state=move.to,
        set=dict(move.set),
        reason=str((request.args or {}).get("reason") or ""),
        accepted=move.accepted,
        error=move.error,
        by=by,
        status=ResultStatus.OK if move.accepted else refusal,
        result=f"{leave}{words} {move.note}".strip() if move.accepted else move.error,
    )


def _last_result(state: State) -> Any:
    """The newest result that the model has seen: as JSON if it is an object, else as text."""
    for node in state.history.backwards():
        if isinstance(node, Shown) and node.calls and (result := node.calls[-1].result) is not None:
            return parse(result.content) or result.content
    return None
