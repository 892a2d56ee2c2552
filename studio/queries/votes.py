"""What people have said to one question so far, and whether that decides it; as the fold of decisions has it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from runtime.domain.arguments import args_sha256
from runtime.domain.events import ApprovalDecision, ApprovalRequest, ApprovalWhy, Verdict


@dataclass(frozen=True, slots=True)
class Vote:
    """A decision as it was accepted, `at` microseconds; `source` is who made it, by public id."""

    decision: ApprovalDecision
    source: str
    at: int
    id: str


@dataclass(frozen=True, slots=True)
class Poll:
    """The votes that count. `sha256` and `args` are those that the next one is asked about: as the last edit left them.

    `approved_by` are the sources of those who have approved just these arguments; `final` is the vote that decided.
    """

    request: ApprovalRequest
    sha256: str
    args: Mapping[str, Any] | None = None
    votes: tuple[Vote, ...] = ()
    approved_by: tuple[str, ...] = ()
    final: Vote | None = None


def poll_of(request: ApprovalRequest, tool: str, args: Mapping[str, Any] | None, votes: Iterable[Vote]) -> Poll:
    """The poll after these votes, in their order. `args` are the call's own; None if they were no JSON object."""
    sha256 = request.args_sha256 or args_sha256(tool, args or {})
    poll = Poll(request, sha256, args)
    for vote in votes:
        poll = _after(poll, tool, vote)
    return poll


def _after(poll: Poll, tool: str, vote: Vote) -> Poll:
    decision = vote.decision
    if poll.final is not None or not _counts(poll, vote):
        return poll
    poll = replace(poll, votes=(*poll.votes, vote))
    if decision.verdict is not Verdict.APPROVE:
        return replace(poll, final=vote)
    if decision.edited_args is not None:  # an edit asks everybody anew
        edited = decision.edited_args
        poll = replace(poll, args=edited, sha256=args_sha256(tool, edited), approved_by=())
    approved_by = (*poll.approved_by, vote.source)
    return replace(poll, approved_by=approved_by, final=vote if len(approved_by) >= poll.request.needed else None)


def _counts(poll: Poll, vote: Vote) -> bool:
    decision, request = vote.decision, poll.request
    is_gated = request.why is not ApprovalWhy.UNKNOWN_OUTCOME
    if decision.verdict is Verdict.DENY:
        return True
    if not is_gated or decision.verdict is not Verdict.APPROVE:
        return is_gated is (decision.verdict is Verdict.APPROVE)
    if request.requested_by and vote.source == request.requested_by:
        return False
    is_bound = decision.edited_args is not None or decision.args_sha256 in ("", poll.sha256)
    return is_bound and vote.source not in poll.approved_by
