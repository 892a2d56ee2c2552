"""`/approvals`: what waits for a person; and `/grants`: the leaves that were given once for all."""

from typing import Any, Literal

from django.http import HttpRequest
from ninja import Router, Status

from studio.api.asking import key_of, origin, person
from studio.api.errors import NotFound
from studio.api.shapes import Verdict
from studio.errors import Refused
from studio.models import User
from studio.queries.grants import grant_for, grant_shown, visible_grants
from studio.queries.inbox import inbox, inbox_item
from studio.queries.questions import question_by_id
from studio.services.decisions import decide_question
from studio.services.grants import revoke_grant

router = Router(tags=["approvals"])
HOW_TO_ANSWER = {
    "escalation": "Answer it with a supervisor.instruction to the agent.",
    "question": "Answer it with a user.input to the agent.",
}


@router.get("/approvals", url_name="approvals")
def listed(request: HttpRequest, state: Literal["pending", "decided", "all"] = "pending") -> dict[str, Any]:
    """What the caller is asked or may see asked, oldest first: approvals, escalations and questions by `kind`."""
    return {"approvals": inbox(person(request), is_open=None if state == "all" else state == "pending")}


@router.post("/approvals/{approval}", url_name="approval")
def decide(request: HttpRequest, approval: str, body: Verdict) -> dict[str, Any]:
    """Decides it, once; 409 with who decided what and when, if it was decided before."""
    user = person(request)
    key_of(request)  # a decision is its own key
    question = question_by_id(user, approval)
    if question is None:
        raise Refused(HOW_TO_ANSWER[_item(user, approval)["kind"]])
    decide_question(
        user,
        question,
        body.verdict,
        body.result,
        body.reason,
        args=body.args,
        args_sha256=body.args_sha256,
        grant=body.grant,
        origin=origin(request),
    )
    return _item(user, approval)


@router.get("/approvals/{approval}", url_name="approval")
def read(request: HttpRequest, approval: str) -> dict[str, Any]:
    """One of them."""
    return _item(person(request), approval)


@router.get("/grants", url_name="grants")
def grants(request: HttpRequest, state: Literal["standing", "revoked", "all"] = "standing") -> dict[str, Any]:
    """The standing grants that the caller may see, the newest first."""
    found = visible_grants(person(request), is_standing=None if state == "all" else state == "standing")
    return {"grants": [grant_shown(grant) for grant in found]}


@router.delete("/grants/{grant}", url_name="grant", response={204: None})
def revoke(request: HttpRequest, grant: str) -> Any:
    """From now on people are asked again."""
    user = person(request)
    found = grant_for(user, grant)
    if found is None:
        raise NotFound
    revoke_grant(user, found, origin=origin(request))
    return Status(204, None)


def _item(user: User, public_id: str) -> dict[str, Any]:
    item = inbox_item(user, public_id)
    if item is None:
        raise NotFound
    return item
