"""Standing grants: given with an approval, so that nobody is asked about such calls again, and revoked."""

from dataclasses import dataclass, replace

from django.db import transaction
from django.utils import timezone

from runtime.domain.events import ApprovalDecision, ApprovalWhy, Verdict
from studio.errors import NotAllowed, NotThereAny, Refused
from studio.models import StandingGrant, User
from studio.queries.grants import AGENT, OF_CALLS, SESSION, VALUE, is_wide
from studio.queries.questions import Question
from studio.queries.viewer import Viewer
from studio.rights import Right, has_right
from studio.services.audit import Actor, record
from studio.services.rollout_agent import agent_of
from studio.store import NewGrant


@dataclass(frozen=True, slots=True)
class GivenGrant:
    """A grant that is made together with a decision; `word` is what the decision calls it."""

    word: str
    grant: NewGrant


def given_grant(
    user: User, viewer: Viewer, question: Question, decision: ApprovalDecision, word: str
) -> GivenGrant | None:
    """What the person gives with this approval: session, agent or value:ARGUMENT.

    Without a word none, but for a tool that asks once a session. Raises Refused, NotAllowed.
    """
    if not word and not (decision.verdict is Verdict.APPROVE and _asks_once(question)):
        return None
    if question.request.why not in OF_CALLS:
        raise Refused("A standing grant can be given for calls of tools only. Leave it out.")
    if question.request.needed > 1:
        raise Refused(f"{question.request.needed} people must approve each of these calls. Leave the grant out.")
    return GivenGrant(word or SESSION, _new_grant(user, viewer, question, decision, word or SESSION))


@transaction.atomic
def revoke_grant(user: User, grant: StandingGrant, *, origin: str = "") -> None:
    """From now on people are asked again. Raises NotAllowed, NotThereAny if it was revoked before."""
    if not may_revoke(user, grant):
        raise NotAllowed("revoke this grant", "who gave it, or a supervisor of the project")
    standing = StandingGrant.objects.filter(pk=grant.pk, revoked_at=None)
    if not standing.update(revoked_at=timezone.now(), revoked_by=user):
        raise NotThereAny("This grant was revoked before.")
    record(Actor(user, origin), "grant.revoked", grant.public_id, before={"tool": grant.tool})


def may_revoke(user: User, grant: StandingGrant) -> bool:
    """Who gave it, the owner of its session, and supervisors of the project."""
    owns = grant.session is not None and grant.session.owner_id == user.pk
    is_giver = grant.given_by_id == user.pk
    return (user.is_active and (is_giver or owns)) or has_right(user, grant.project, Right.DECIDE_ANY)


def _asks_once(question: Question) -> bool:
    if question.request.why is not ApprovalWhy.POLICY or question.request.needed > 1:
        return False
    spec = agent_of(question.rollout).any_tool(question.tool)
    return spec is not None and spec.approval.when == "once"


def _new_grant(user: User, viewer: Viewer, question: Question, decision: ApprovalDecision, word: str) -> NewGrant:
    wide = is_wide(question, viewer)
    is_tainted = question.request.why is ApprovalWhy.TAINT
    grant = NewGrant(question.tool, user.pk, reason=decision.reason, covers_taint=is_tainted)
    if word == SESSION:
        return grant
    if word == AGENT:
        if not wide:
            raise NotAllowed("allow this in every session of the agent", "a supervisor of the project")
        return replace(grant, everywhere=True)
    name = word.removeprefix(VALUE)
    args = decision.edited_args if decision.edited_args is not None else question.args
    if not word.startswith(VALUE) or not isinstance(args, dict) or name not in args:
        raise Refused("A grant is given for: session, agent, or value: and the name of an argument of this call.")
    return replace(grant, argument=name, value=args[name], everywhere=wide)
