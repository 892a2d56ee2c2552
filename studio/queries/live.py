"""Rollouts that go on now, for those who supervise them."""

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from studio.models import Event, Project, Rollout, User
from studio.queries.rollouts import ENDED, visible_rollouts
from studio.rights import Right

RESTING = Q(lifecycle="waiting", waiting_for="input")
NEEDS_SOMEBODY = Q(lifecycle__in=("paused", "failed")) | Q(lifecycle="waiting", waiting_for="approval")


def supervises_somewhere(user: User) -> bool:
    """Whether there is a project that the person supervises."""
    return Project.objects.with_right(user, Right.SUPERVISE).exists()


def supervised_rollouts(user: User) -> QuerySet[Rollout]:
    """Those that have not ended, of the projects that the person supervises."""
    projects = Project.objects.with_right(user, Right.SUPERVISE)
    found = visible_rollouts(user).filter(session__project__in=projects).exclude(lifecycle__in=ENDED)
    return found.select_related("session__owner", "root", "parent")


def live_rollouts(user: User) -> QuerySet[Rollout]:
    """Those that do not merely wait for their person's next message, with the time of their newest event."""
    last = Event.objects.filter(rollout=OuterRef("pk"), seq=OuterRef("next_seq") - 1).values("at")[:1]
    return supervised_rollouts(user).filter(_is_live()).annotate(last_at=Subquery(last))


def live_count(user: User) -> int:
    """How many go on now."""
    return supervised_rollouts(user).filter(_is_live()).count() if supervises_somewhere(user) else 0


def _is_live() -> Q:
    """Also one that rests while an agent that it called works on the side."""
    working = Rollout.objects.filter(parent=OuterRef("pk")).exclude(lifecycle__in=ENDED).exclude(RESTING)
    return ~RESTING | Q(Exists(working))
