"""A decision as a form posts it."""

from django.http import HttpRequest

from studio.queries.questions import Question
from studio.services.audit import Actor
from studio.services.decisions import decide_question
from studio.web.person import person
from studio.web.posts import text_of


def decide_posted(request: HttpRequest, question: Question) -> str:
    """Gives the decision to the service; what was decided. Raises what `decide_question` raises, or NotOfItsKind.

    `verdict` edit approves with what stands in the fields `arg:NAME`; `grant` approves this call and those like it.
    """
    posted = request.POST
    verdict, grant = posted.get("verdict", ""), posted.get("grant", "")
    if grant and not verdict:
        verdict = "approve"
    result = text_of(request, "result") if verdict == "happened" else ""
    reason = posted.get("reason", "") if verdict != "approve" else ""
    origin = Actor.of(request).origin
    decide_question(person(request), question, verdict, result, reason, origin=origin)
    return verdict
