"""Questions as AMP tells of them."""

from typing import Any

from runtime.domain.events import Verdict
from studio.queries.grants import grant_choices
from studio.queries.instants import instant
from studio.queries.questions import Question
from studio.queries.viewer import Viewer


def question_shown(question: Question, viewer: Viewer) -> dict[str, Any]:
    """A question about a call; the exact arguments for those who may decide it."""
    request, rollout = question.request, question.rollout
    is_shown, verdicts = question.may_be_decided_by(viewer), question.verdicts_for(viewer)
    return {
        "id": question.id,
        "kind": "approval",
        "session": rollout.session.public_id,
        "rollout": rollout.public_id,
        "agent": rollout.agent.name,
        "state": _state(question),
        "why": request.why.value,
        "reason": request.reason or None,
        "call_id": request.call_id,
        "tool": question.tool or None,
        "to_state": request.to_state or None,
        "args": question.args if is_shown else None,
        "args_sha256": question.args_sha256 if is_shown else None,
        "approvers": list(request.approvers),
        "needed": request.needed,
        "approved_by": question.approved_by,
        "asked_at": instant(question.asked_at),
        "expires_at": instant(request.expires_at) if request.expires_at else None,
        "then": request.then,
        "escalated": request.escalated,
        "grants": grant_choices(question, viewer) if Verdict.APPROVE in verdicts else [],
        "verdicts": [verdict.value for verdict in verdicts],
        "decided": _decided(question),
    }


def _state(question: Question) -> str:
    if question.decided:
        return "decided"
    return "pending" if question.is_open else "withdrawn"


def _decided(question: Question) -> dict[str, Any] | None:
    decided = question.decided
    if decided is None:
        return None
    return {
        "verdict": decided.verdict,
        "by": decided.by,
        "at": instant(decided.at),
        "reason": decided.reason,
        "edited": decided.edited_args is not None,
    }
