"""Standing grants as lists and the API show them."""

from typing import Any

from django.db.models import QuerySet

from runtime.domain.events import ApprovalWhy
from studio.models import StandingGrant, User
from studio.queries.instants import rfc3339
from studio.queries.questions import Question
from studio.queries.viewer import Viewer

SESSION, AGENT, VALUE = "session", "agent", "value:"
"""What a grant is given for: this session, the agent in every session, or one value of an argument."""

OF_CALLS = (ApprovalWhy.POLICY, ApprovalWhy.TAINT)
"""The questions that a grant can be given with."""


def visible_grants(user: User, *, is_standing: bool | None = True) -> QuerySet[StandingGrant]:
    """Those that the person may see, the newest first; `is_standing` None: revoked ones as well."""
    found = StandingGrant.objects.visible_to(user)
    if is_standing is not None:
        found = found.filter(revoked_at__isnull=is_standing)
    return found.select_related("project", "session", "agent", "given_by", "revoked_by").order_by("-pk")


def grant_for(user: User, public_id: str) -> StandingGrant | None:
    """The grant of that id, if the person may see it."""
    return visible_grants(user, is_standing=None).filter(public_id=public_id).first()


def grant_shown(grant: StandingGrant) -> dict[str, Any]:
    """A standing grant; without a session it stands in every session of its agent."""
    return {
        "id": grant.public_id,
        "tool": grant.tool,
        "agent": grant.agent.name if grant.agent else None,
        "session": grant.session.public_id if grant.session else None,
        "argument": grant.argument or None,
        "value": grant.value,
        "given_by": str(grant.given_by),
        "covers_taint": grant.covers_taint,
        "reason": grant.reason,
        "created_at": rfc3339(grant.created_at),
        "revoked_at": rfc3339(grant.revoked_at) if grant.revoked_at else None,
        "revoked_by": str(grant.revoked_by) if grant.revoked_by else None,
    }


def grant_choices(question: Question, viewer: Viewer) -> list[str]:
    """The words that the viewer may give with an approval of this question."""
    if question.request.why not in OF_CALLS or question.request.needed > 1:
        return []
    args = question.args
    values = [f"{VALUE}{name}" for name in args] if isinstance(args, dict) else []
    return [SESSION, *([AGENT] if is_wide(question, viewer) else []), *values]


def is_wide(question: Question, viewer: Viewer) -> bool:
    """Whether the viewer may decide for every session of the agent: a supervisor, or who is named as a person."""
    named = question.request.approvers
    return viewer.supervises or viewer.user in named or viewer.username in named
