"""Questions of agents to single people (`send_message` that waits), and whether they were answered."""

from collections.abc import Iterable
from dataclasses import dataclass

from runtime.domain.events import AgentOutput
from runtime.domain.events.versions import load
from studio.models import Event, PendingEvent, Rollout
from studio.queries.rollouts import ENDED
from studio.store.codes import TYPE_CODES

SAID, ANSWERED, CLOSED = TYPE_CODES["agent.output"], TYPE_CODES["user.input"], TYPE_CODES["tool.result"]
WAITS = '"waits":true'  # as it stands in the stored payload; inside a text its quotes would be escaped


@dataclass(frozen=True, slots=True)
class PersonQuestion:
    """A question to one person; `rollout` is the agent's that waits. `asked_at` in microseconds."""

    rollout: Rollout
    seq: int
    output: AgentOutput
    asked_at: int
    is_open: bool

    @property
    def id(self) -> str:
        return f"q_{self.rollout.public_id.removeprefix('r_')}_{self.seq}"


def open_person_questions(rollouts: Iterable[Rollout], person: str) -> list[PersonQuestion]:
    """The open questions to that person (public id) in these rollouts, oldest first."""
    living = [rollout for rollout in rollouts if rollout.lifecycle not in ENDED]
    found = [question for rollout in living for question in person_questions(rollout) if question.is_open]
    mine = [question for question in found if question.output.to == person]
    return sorted(mine, key=lambda question: question.asked_at)


def person_questions(rollout: Rollout) -> list[PersonQuestion]:
    """All questions of the rollout to people, oldest first."""
    rows = Event.objects.filter(rollout=rollout, type=SAID, payload__contains=WAITS).order_by("seq")
    asked = [
        (seq, load("agent.output", v, text), at) for seq, v, text, at in rows.values_list("seq", "v", "payload", "at")
    ]
    return [
        PersonQuestion(rollout, seq, output, at, _is_open(rollout, seq, output))
        for seq, output, at in asked
        if isinstance(output, AgentOutput) and output.waits
    ]


def _is_open(rollout: Rollout, seq: int, output: AgentOutput) -> bool:
    """Not answered by the person's next message, not closed by a stop, and the rollout goes on."""
    if rollout.lifecycle in ENDED:
        return False
    later = Event.objects.filter(rollout=rollout, seq__gt=seq)
    waiting = PendingEvent.objects.filter(rollout=rollout, type=ANSWERED, source=output.to)
    closed = later.filter(type=CLOSED, payload__contains=f'"call_id":"{output.call_id}"')
    return not (later.filter(type=ANSWERED, source=output.to).exists() or waiting.exists() or closed.exists())
