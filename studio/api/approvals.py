"""`/approvals`: questions to people about single calls."""

from typing import Any, Literal

from django.http import HttpRequest
from ninja import Router

from studio.api.asking import key_of, origin, person
from studio.api.errors import NotFound
from studio.api.shapes import Verdict
from studio.models import User
from studio.queries.questions import Question, question_by_id, question_shown, questions, viewer_of_question
from studio.services.decisions import decide_question

router = Router(tags=["approvals"])


@router.get("/approvals", url_name="approvals")
def listed(request: HttpRequest, state: Literal["pending", "decided", "all"] = "pending") -> dict[str, Any]:
    """The questions of the rollouts that the caller may see, oldest first."""
    user = person(request)
    found = questions(user, is_open=None if state == "all" else state == "pending")
    return {"approvals": [_shown(question, user) for question in found]}


@router.post("/approvals/{approval}", url_name="approval")
def decide(request: HttpRequest, approval: str, body: Verdict) -> dict[str, Any]:
    """Decides it, once; 409 with who decided what and when, if it was decided before."""
    user = person(request)
    key_of(request)  # a decision is its own key
    question = _question(user, approval)
    decide_question(user, question, body.verdict, body.result, body.reason, origin=origin(request))
    return _shown(_question(user, approval), user)


@router.get("/approvals/{approval}", url_name="approval")
def read(request: HttpRequest, approval: str) -> dict[str, Any]:
    """One question."""
    user = person(request)
    return _shown(_question(user, approval), user)


def _question(user: User, public_id: str) -> Question:
    question = question_by_id(user, public_id)
    if question is None:
        raise NotFound
    return question


def _shown(question: Question, user: User) -> dict[str, Any]:
    return question_shown(question, viewer_of_question(question, user))
