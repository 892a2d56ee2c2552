"""How many questions wait for a person, for the navigation: cheap enough for every page."""

from studio.models import User
from studio.queries.questions import questions, viewers_of


def open_question_count(user: User) -> int:
    """The open questions about calls that the person may decide."""
    found = questions(user, is_open=True)
    return sum(bool(question.verdicts_for(viewer)) for question, viewer in viewers_of(found, user))
