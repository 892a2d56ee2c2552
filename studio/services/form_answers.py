"""Answers to the forms of agents' questions, checked before they are accepted."""

from runtime.domain.events import FormAnswer
from runtime.tools.arguments import problem_with
from studio.errors import NotAllowed, NotFitting, NotThereAny, Refused
from studio.models import Rollout, User
from studio.queries.person_questions import PersonQuestion, person_questions


def must_fit_form(user: User, rollout: Rollout | None, answer: FormAnswer) -> None:
    """`rollout` None: the agent has not begun. Raises NotFitting (the sentence names the field), NotAllowed, Refused,
    or NotThereAny if it is not open.
    """
    question = _question(rollout, answer.name)
    if question.output.to != user.public_id:
        raise NotAllowed("answer what another person is asked", "that person")
    if not question.is_open:
        raise NotThereAny("This question is not open any more: it was answered, or the agent was stopped.")
    problem = problem_with(question.output.form or {}, answer.values)
    if problem is not None:
        raise NotFitting(f"The form is not filled in rightly: {problem}.")


def _question(rollout: Rollout | None, name: str) -> PersonQuestion:
    asked = person_questions(rollout) if rollout is not None else ()
    found = next((item for item in asked if item.output.call_id == name), None)
    if found is None or found.output.form is None:
        raise Refused(f"Nobody asks for the form {name[:64]!r} here. Send your answer as a message.")
    return found
