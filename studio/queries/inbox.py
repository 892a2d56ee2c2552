"""What waits for a person: decisions about calls, questions to supervisors and to oneself; as AMP tells of it."""

from typing import Any

from studio.models import Rollout, User
from studio.queries.escalations import Escalation, escalations_of, open_escalations
from studio.queries.instants import instant
from studio.queries.person_questions import PersonQuestion, open_questions_to, person_questions
from studio.queries.question_shown import question_shown
from studio.queries.questions import question_by_id, questions, viewer_of_question, viewers_of
from studio.queries.rollouts import visible_rollouts
from studio.queries.viewer import viewer_of


def inbox(user: User, *, is_open: bool | None) -> list[dict[str, Any]]:
    """All kinds, oldest first. What is not open any more is listed of decisions about calls alone."""
    found = viewers_of(questions(user, is_open=is_open), user)
    shown = [question_shown(question, viewer) for question, viewer in found]
    if is_open is not False:
        shown += [escalation_shown(item) for item in open_escalations(user)]
        shown += [person_question_shown(item) for item in open_questions_to(user)]
    return sorted(shown, key=lambda item: str(item["asked_at"]))


def inbox_item(user: User, public_id: str) -> dict[str, Any] | None:
    """The one of that id, if the person may see it."""
    question = question_by_id(user, public_id)
    if question is not None:
        return question_shown(question, viewer_of_question(question, user))
    prefix, _, rest = public_id.partition("_")
    name, _, seq = rest.rpartition("_")
    rollout = visible_rollouts(user).filter(public_id=f"r_{name}").first() if prefix in ("x", "q") else None
    if rollout is None:
        return None
    return _escalation(rollout, seq, user) if prefix == "x" else _person_question(rollout, seq, user)


def escalation_shown(item: Escalation) -> dict[str, Any]:
    """A question to supervisors."""
    asked = item.asked
    return {
        **_common(item.id, "escalation", item.rollout, item.asked_at, is_open=item.is_open),
        "severity": asked.severity,
        "reason": asked.reason,
        "question": asked.question,
        "deadline": instant(asked.deadline) if asked.deadline else None,
        "then": asked.then,
    }


def person_question_shown(item: PersonQuestion) -> dict[str, Any]:
    """A question to one person; `form` is the JSON Schema of the answer, whose name is `call_id`."""
    return {
        **_common(item.id, "question", item.rollout, item.asked_at, is_open=item.is_open),
        "call_id": item.output.call_id,
        "content": item.output.content,
        "form": item.output.form,
    }


def _common(id_: str, kind: str, rollout: Rollout, asked_at: int, *, is_open: bool) -> dict[str, Any]:
    return {
        "id": id_,
        "kind": kind,
        "session": rollout.session.public_id,
        "rollout": rollout.public_id,
        "agent": rollout.agent.name,
        "state": "pending" if is_open else "closed",
        "asked_at": instant(asked_at),
    }


def _escalation(rollout: Rollout, seq: str, user: User) -> dict[str, Any] | None:
    if not viewer_of(rollout.session, user).supervises:
        return None
    return next((escalation_shown(item) for item in escalations_of(rollout) if str(item.seq) == seq), None)


def _person_question(rollout: Rollout, seq: str, user: User) -> dict[str, Any] | None:
    mine = (item for item in person_questions(rollout) if item.output.to == user.public_id)
    return next((person_question_shown(item) for item in mine if str(item.seq) == seq), None)
