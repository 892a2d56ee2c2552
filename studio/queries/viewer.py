"""Who looks at a session, and from where: what decides how much of it they are shown."""

from dataclasses import dataclass
from enum import StrEnum

from studio.models import AmpSession, Participant, SessionShare, User
from studio.rights import Right, has_right


class Seat(StrEnum):
    """From where somebody looks at one rollout. Sight of the session itself is `visible_to`'s affair."""

    PARTICIPANT = "participant"
    REVIEWER = "reviewer"
    OVERSEER = "overseer"


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person who may see a session. `own_agents`: names of agents of theirs, if the session is theirs as well.

    `reads_memory`: also that of others, which is recorded. `shared_by`: whoever showed them the session, as authors.
    """

    user: str
    name: str
    is_participant: bool
    reads_others: bool
    supervises: bool
    own_agents: frozenset[str] = frozenset()
    username: str = ""
    is_owner: bool = False
    is_administrator: bool = False
    reads_memory: bool = False
    shared_by: str = ""

    def seat(self, agent: str) -> Seat:
        """From where they look at a rollout of that agent."""
        if self.supervises or self.shared_by or agent in self.own_agents:
            return Seat.OVERSEER
        return Seat.REVIEWER if self.reads_others else Seat.PARTICIPANT


def viewer_of(session: AmpSession, user: User) -> Viewer:
    """How the person, who may see the session, looks at it."""
    project = session.project
    is_owner = session.owner_id == user.pk
    joined = Participant.objects.filter(session=session, user=user, left_at=None)
    own_agents: frozenset[str] = frozenset()
    shared_by = ""
    if has_right(user, project, Right.WRITE_AGENTS):
        if is_owner:
            own_agents = frozenset(user.agents.filter(project=project).values_list("name", flat=True))
        share = SessionShare.objects.filter(session=session, user=user).select_related("by").first()
        shared_by = share.by.public_id if share is not None else ""
    return Viewer(
        user=user.public_id,
        name=str(user),
        is_participant=is_owner or joined.exists(),
        reads_others=has_right(user, project, Right.READ_OTHERS),
        supervises=has_right(user, project, Right.SUPERVISE),
        own_agents=own_agents,
        shared_by=shared_by,
        username=user.username,
        is_owner=is_owner,
        reads_memory=has_right(user, project, Right.READ_OTHERS_MEMORY),
        is_administrator=user.is_active and user.is_administrator,
    )
