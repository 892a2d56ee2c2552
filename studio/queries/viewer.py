"""Who looks at a session, and from where: what decides how much of it they are shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from studio.models import AmpSession, Participant, Project, SessionShare, User
from studio.rights import Right, rights_in


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
    return viewers_in([session], user)[session.pk]


def viewers_in(sessions: Sequence[AmpSession], user: User) -> dict[int, Viewer]:
    """How the person, who may see these sessions, looks at each, by primary key.

    The sessions come with their projects. As many statements for many as for one.
    """
    pks = [session.pk for session in sessions]
    joined = Participant.objects.filter(session__in=pks, user=user, left_at=None).values_list("session", flat=True)
    shares = SessionShare.objects.filter(session__in=pks, user=user).values_list("session", "by__public_id")
    takes_part, shared_by = set(joined), dict(shares)
    rights = {project: rights_in(user, project) for project in {session.project for session in sessions}}
    found = {}
    for session in sessions:
        is_owner, mine = session.owner_id == user.pk, rights[session.project]
        writes = Right.WRITE_AGENTS in mine
        found[session.pk] = Viewer(
            user=user.public_id,
            name=str(user),
            is_participant=is_owner or session.pk in takes_part,
            reads_others=Right.READ_OTHERS in mine,
            supervises=Right.SUPERVISE in mine,
            own_agents=_own_agents(user, session.project) if is_owner and writes else frozenset(),
            username=user.username,
            is_owner=is_owner,
            reads_memory=Right.READ_OTHERS_MEMORY in mine,
            is_administrator=user.is_active and user.is_administrator,
            shared_by=shared_by.get(session.pk, "") if writes else "",
        )
    return found


def _own_agents(user: User, project: Project) -> frozenset[str]:
    return frozenset(user.agents.filter(project=project).values_list("name", flat=True))
