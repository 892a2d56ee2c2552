"""What a decision does to the call that a person was asked about."""

from runtime.domain.arguments import args_sha256
from runtime.domain.events import ApprovalDecision, Verdict
from runtime.domain.state import Call, State
from runtime.domain.trajectory import Event


def decided(state: State, event: Event, decision: ApprovalDecision) -> State:
    """The state after a decision; one that nobody is asked for, or that is not for this person, changes nothing."""
    call = state.call(decision.call_id)
    if call is None or not counts(call, event.source, decision):
        return state
    if decision.verdict is Verdict.APPROVE:
        return _approved(state, call, event.source, decision)
    again = decision.verdict is Verdict.RUN_AGAIN
    is_started = call.is_started and not again  # what happened can be undone
    return state.with_call(call.id, question=None, is_started=is_started, run_again=again and not call.is_open)


def counts(call: Call, source: str, decision: ApprovalDecision) -> bool:
    """Whether the decision is about what is asked, and whoever made it may approve it.

    Leave is bound to the hash of the tool and its arguments; it is nobody's own to give where that is forbidden.
    """
    question = call.question
    if question is None:
        return False
    if call.is_gated is not (decision.verdict in (Verdict.APPROVE, Verdict.DENY)):
        return decision.verdict is Verdict.DENY  # to give up a call of unknown outcome
    if decision.verdict is not Verdict.APPROVE:
        return True
    if question.requested_by and source == question.requested_by:
        return False
    is_bound = decision.edited_args is not None or decision.args_sha256 in ("", question.args_sha256)
    return is_bound and source not in call.approved_by


def releases(call: Call, source: str, decision: ApprovalDecision) -> bool:
    """Whether this leave is the last one that is needed."""
    return call.question is not None and len(_approvers(call, source, decision)) >= call.question.needed


def _approved(state: State, call: Call, source: str, decision: ApprovalDecision) -> State:
    assert call.question is not None
    kept = call.decision if decision.edited_args is None and call.decision is not None else decision
    if releases(call, source, decision):
        return state.with_call(call.id, question=None, decision=kept)
    question = call.question
    if decision.edited_args is not None:
        question = question.model_copy(update={"args_sha256": args_sha256(call.tool, decision.edited_args)})
    return state.with_call(call.id, question=question, decision=kept, approved_by=_approvers(call, source, decision))


def _approvers(call: Call, source: str, decision: ApprovalDecision) -> tuple[str, ...]:
    """Who has approved these very arguments, with this one; an edit asks everybody anew."""
    before = () if decision.edited_args is not None else call.approved_by
    return (*before, source)
