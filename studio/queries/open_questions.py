"""How many questions wait for a person, for the navigation: cheap enough for every page."""

from studio.models import User
from studio.queries.questions import questions, viewer_of_question


def open_question_count(user: User) -> int:
    """The open questions about calls that the person may decide."""
    found = questions(user, is_open=True)
    return sum(bool(question.verdicts_for(viewer_of_question(question, user))) for question in found)
