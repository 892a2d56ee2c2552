"""Whether a person is asked before a call runs, and what the person is asked."""

from typing import Any

from runtime.domain.arguments import args_sha256
from runtime.domain.condition import ConditionFailed, condition
from runtime.domain.events import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalWhy,
    CallMode,
    Payload,
    ToolRequest,
    Verdict,
)
from runtime.domain.judging import Judged, Judging
from runtime.domain.taint import leak_of
from runtime.domain.tool import ApprovalPolicy, ToolSpec


def gated(request: ToolRequest, spec: ToolSpec, judging: Judging) -> Judged:
    """The request as it is recorded, with the question behind it if one is to be asked.

    A standing grant decides in a person's stead, and says so. No policy and no other grant lets a call go out by itself
    that may carry private data to whoever wrote what the agent has read.
    """
    if spec.runs_async:
        request = request.model_copy(update={"mode": CallMode.ASYNC})
    args = request.args or {}
    leak = leak_of(judging.state, judging.agent, spec)
    if not leak and not asks(spec.approval, args, judging):
        return Judged(request)
    asked = question(request, spec.approval, judging)
    if leak:
        asked = asked.model_copy(update={"why": ApprovalWhy.TAINT, "reason": leak})
    after: list[Payload] = [asked]
    grants = (one for one in judging.facts.grants if one.covers(request.tool, args))
    grant = next((one for one in grants if one.covers_taint or not leak), None)
    if grant is not None and spec.approval.needed == 1:
        after.append(
            ApprovalDecision(
                call_id=request.call_id,
                verdict=Verdict.APPROVE,
                args_sha256=asked.args_sha256,
                by=grant.by,
                grant=grant.id,
            )
        )
    return Judged(request, tuple(after))


def asks(policy: ApprovalPolicy, args: dict[str, Any], judging: Judging) -> bool:
    """A condition that cannot be judged asks a person."""
    match policy.when:
        case "never":
            return False
        case "always" | "once":
            return True
        case text:
            try:
                return condition(text).holds({"args": args, **judging.values})
            except ConditionFailed:
                return True


def question(request: ToolRequest, policy: ApprovalPolicy, judging: Judging, *, to_state: str = "") -> ApprovalRequest:
    """What a person is asked; for a move of the business state, `to_state` is where it leads."""
    after = int(policy.expires_seconds * 1e6)
    return ApprovalRequest(
        call_id=request.call_id,
        args_sha256=args_sha256(request.tool, request.args or {}),
        why=ApprovalWhy.TRANSITION if to_state else ApprovalWhy.POLICY,
        tool=request.tool,
        approvers=policy.approvers,
        needed=policy.needed,
        requested_by="" if policy.allows_self else judging.state.turn.user_id,
        expires_at=judging.at + after,
        expires_after=after,
        then=policy.then,
        to_state=to_state,
    )
