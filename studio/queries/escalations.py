"""Questions of agents to supervisors, and whether anybody has answered them."""

from dataclasses import dataclass

from django.db.models import Q

from runtime.domain.dealings import deadline_id
from runtime.domain.events import AgentEscalation
from runtime.domain.events.versions import load
from studio.models import Event, PendingEvent, Project, Rollout, User
from studio.queries.asking import rollouts_that_escalated
from studio.queries.rollouts import ENDED
from studio.rights import Right
from studio.store.codes import TYPE_CODES

ESCALATED, INSTRUCTED = TYPE_CODES["agent.escalation"], TYPE_CODES["supervisor.instruction"]
RESUMED, RUNG = TYPE_CODES["rollout.resumed"], TYPE_CODES["timer.trigger"]


@dataclass(frozen=True, slots=True)
class Escalation:
    """One question to supervisors; `asked_at` in microseconds. Any instruction to the agent answers it."""

    rollout: Rollout
    seq: int
    asked: AgentEscalation
    asked_at: int
    is_open: bool

    @property
    def id(self) -> str:
        return f"x_{self.rollout.public_id.removeprefix('r_')}_{self.seq}"


def open_escalations(user: User) -> list[Escalation]:
    """The open ones of the projects that the person supervises, the most severe first, then the oldest."""
    supervised = Project.objects.with_right(user, Right.SUPERVISE)
    rollouts = rollouts_that_escalated(user).filter(session__project__in=supervised)
    found = [item for rollout in rollouts for item in escalations_of(rollout) if item.is_open]
    order = ("critical", "high", "normal", "low")
    return sorted(found, key=lambda item: (order.index(item.asked.severity), item.asked_at))


def escalations_of(rollout: Rollout) -> list[Escalation]:
    """All of a rollout, oldest first."""
    rows = Event.objects.filter(rollout=rollout, type=ESCALATED).order_by("seq")
    columns = rows.values_list("seq", "v", "payload", "at")
    asked = [(seq, load("agent.escalation", v, payload), at) for seq, v, payload, at in columns]
    return [
        Escalation(rollout, seq, escalation, at, _is_open(rollout, seq, escalation))
        for seq, escalation, at in asked
        if isinstance(escalation, AgentEscalation)
    ]


def _is_open(rollout: Rollout, seq: int, asked: AgentEscalation) -> bool:
    if rollout.lifecycle in ENDED or PendingEvent.objects.filter(rollout=rollout, type=INSTRUCTED).exists():
        return False
    deadline = Q(type=RUNG, payload__contains=f'"timer_id":"{deadline_id(asked.call_id)}"')
    answered = Event.objects.filter(rollout=rollout, seq__gt=seq).filter(Q(type__in=(INSTRUCTED, RESUMED)) | deadline)
    return not answered.exists()
