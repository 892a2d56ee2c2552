"""How many questions wait for a person, for the navigation: cheap enough for every page."""

from studio.models import Event, User
from studio.queries.questions import ASKED, questions_of, viewer_of_question
from studio.queries.rollouts import visible_rollouts

MAY_ASK = ("queued", "running", "waiting", "paused", "failed")


def open_question_count(user: User) -> int:
    """The open questions that the person may decide."""
    candidates = visible_rollouts(user).filter(lifecycle__in=MAY_ASK, tool_calls__gt=0)
    candidates = candidates.exclude(lifecycle="waiting", waiting_for__in=("input", "model"))
    asking = Event.objects.filter(rollout__in=candidates, type=ASKED).values("rollout")
    return sum(
        question.is_open and question.may_be_decided_by(viewer_of_question(question, user))
        for rollout in candidates.filter(pk__in=asking)
        for question in questions_of(rollout)
    )
