"""Who could take part in a session and does not yet."""

from django.db.models import QuerySet

from studio.models import Agent, AmpSession, Membership, User
from studio.queries.agents import agents_for
from studio.rights import Right, roles_with


def people_to_add(user: User, session: AmpSession) -> QuerySet[User]:
    """The people of the session's project who take no part in it, by name."""
    talking = Membership.objects.filter(project=session.project, role__in=roles_with(Right.TALK)).values("user")
    joined = session.participants.filter(left_at=None, user__isnull=False).values("user")
    found = User.objects.visible_to(user).filter(pk__in=talking, disabled_at=None)
    return found.exclude(pk__in=joined).exclude(pk=session.owner_id).order_by("username")


def agents_to_add(user: User, session: AmpSession) -> QuerySet[Agent]:
    """The published agents of the session's project that take no part in it, by name."""
    joined = session.participants.filter(left_at=None, agent__isnull=False).values("agent")
    found = agents_for(user).filter(project=session.project, archived_at=None, versions__isnull=False).distinct()
    return found.exclude(pk__in=joined)
