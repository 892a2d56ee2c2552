"""Questions of agents to single people (`send_message` that waits), and whether they were answered.

The person's next message answers the oldest; a form's answer names its own, as `runtime/domain/apply.py` folds it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from django.db.models import Q

from runtime.domain.events import AgentOutput, Payload, ToolResult, UserInput
from runtime.domain.events.versions import load
from studio.models import Event, PendingEvent, Rollout, User
from studio.queries.asking import waiting_outputs
from studio.queries.rollouts import ENDED, visible_rollouts
from studio.store.codes import TYPE_CODES, TYPE_OF_CODE

ANSWERED, CLOSED = TYPE_CODES["user.input"], TYPE_CODES["tool.result"]


@dataclass(frozen=True, slots=True)
class PersonQuestion:
    """A question to one person; `rollout` is the agent's that waits. `asked_at` in microseconds."""

    rollout: Rollout
    seq: int
    output: AgentOutput
    asked_at: int
    is_open: bool = True

    @property
    def id(self) -> str:
        return f"q_{self.rollout.public_id.removeprefix('r_')}_{self.seq}"


def open_questions_to(user: User) -> list[PersonQuestion]:
    """What agents ask the person now, in every session that the person may see."""
    living = visible_rollouts(user).exclude(lifecycle__in=ENDED)
    asking = waiting_outputs(living).filter(payload__contains=f'"to":"{user.public_id}"').values("rollout")
    return open_person_questions(living.filter(pk__in=asking), user.public_id)


def open_person_questions(rollouts: Iterable[Rollout], person: str) -> list[PersonQuestion]:
    """The open questions to that person (public id) in these rollouts, oldest first."""
    living = [rollout for rollout in rollouts if rollout.lifecycle not in ENDED]
    found = [question for rollout in living for question in person_questions(rollout) if question.is_open]
    mine = [question for question in found if question.output.to == person]
    return sorted(mine, key=lambda question: question.asked_at)


def person_questions(rollout: Rollout) -> list[PersonQuestion]:
    """All questions of the rollout to people, oldest first."""
    rows = waiting_outputs(Rollout.objects.filter(pk=rollout.pk)).order_by("seq")
    columns = rows.values_list("seq", "v", "payload", "at")
    asked = [(seq, load("agent.output", v, text), at) for seq, v, text, at in columns]
    found = {
        output.call_id: PersonQuestion(rollout, seq, output, at)
        for seq, output, at in asked
        if isinstance(output, AgentOutput) and output.waits
    }
    if not found:
        return []
    closed = set(found) if rollout.lifecycle in ENDED else _closed(rollout, found)
    return [replace(question, is_open=call_id not in closed) for call_id, question in found.items()]


def _closed(rollout: Rollout, asked: Mapping[str, PersonQuestion]) -> set[str]:
    """The calls that were answered or stopped."""
    closed: set[str] = set()
    for seq, source, payload in _what_followed(rollout, asked):
        match payload:
            case ToolResult(call_id=call_id):
                closed.add(call_id)
            case UserInput(form=form):
                there = (call_id for call_id, question in asked.items() if question.seq < seq)
                mine = [id_ for id_ in there if id_ not in closed and asked[id_].output.to == source]
                closed.update([form.name] if form is not None and form.name in mine else mine[: form is None])
    return closed


def _what_followed(rollout: Rollout, asked: Mapping[str, PersonQuestion]) -> Iterator[tuple[int, str, Payload]]:
    """Messages of the people who are asked, and results of these calls, in order; then the messages that wait."""
    people = {question.output.to for question in asked.values()}
    waiting = PendingEvent.objects.filter(rollout=rollout, type=ANSWERED, source__in=people).order_by("order")
    left = list(waiting.values_list("id", "source", "v", "payload"))  # read first: it may move meanwhile
    results = Q()
    for call_id in asked:
        results |= Q(payload__contains=f'"call_id":"{call_id}"')
    first = min(question.seq for question in asked.values())
    events = Event.objects.filter(Q(type=ANSWERED, source__in=people) | Q(type=CLOSED) & results, rollout=rollout)
    seen = set()
    rows = events.filter(seq__gt=first).order_by("seq")
    for seq, type_, source, v, payload, id_ in rows.values_list("seq", "type", "source", "v", "payload", "id"):
        seen.add(id_)
        yield seq, source or "", load(TYPE_OF_CODE[type_], v, payload)
    for id_, source, v, payload in left:
        if id_ not in seen:
            yield rollout.next_seq + 1, source or "", load("user.input", v, payload)
