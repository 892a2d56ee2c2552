"""`/rollouts/ID`: state, trajectory, the exact prompt of a step, and control."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router

from studio.api.asking import key_of, origin, person
from studio.api.errors import NotFound
from studio.api.shapes import Control
from studio.models import Rollout, User
from studio.queries.acceptance import state_of_accepted
from studio.queries.events import MOST, envelopes_of
from studio.queries.prompts import prompt_of_step
from studio.queries.rollouts import rollout_summary, visible_rollouts
from studio.queries.viewer import viewer_of
from studio.services.control import control_rollout

router = Router(tags=["rollouts"])


@router.get("/rollouts/{rollout}", url_name="rollout")
def read(request: HttpRequest, rollout: str) -> dict[str, Any]:
    """One rollout's state and counts."""
    return rollout_summary(_rollout(person(request), rollout))


@router.get("/rollouts/{rollout}/events", url_name="rollout-events")
def trajectory(
    request: HttpRequest, rollout: str, first: int = Query(1, alias="from"), last: int | None = Query(None, alias="to")
) -> dict[str, Any]:
    """Its events by `seq`, at most 1,000 at once, and the first seq of the next page (null at the end)."""
    user = person(request)
    found = _rollout(user, rollout)
    first = max(1, min(first, found.next_seq))
    end = min(found.next_seq - 1, first + MOST - 1, last if last is not None else found.next_seq)
    events = envelopes_of(found, viewer_of(found.session, user), first, end) if end >= first else []
    wanted = found.next_seq - 1 if last is None else min(last, found.next_seq - 1)
    return {"events": events, "next": end + 1 if end < wanted else None}


@router.get("/rollouts/{rollout}/steps/{step}/prompt", url_name="rollout-prompt")
def prompt(request: HttpRequest, rollout: str, step: int, attempt: int | None = None) -> dict[str, Any]:
    """The request of that step, to the word, and whether its hash is the recorded one."""
    user = person(request)
    found = _rollout(user, rollout)
    shown = prompt_of_step(found, viewer_of(found.session, user), step, attempt)
    if shown is None:
        raise NotFound
    return shown


@router.post("/rollouts/{rollout}/control", url_name="rollout-control")
def control(request: HttpRequest, rollout: str, body: Control) -> dict[str, Any]:
    """Pause, resume, cancel or retry; taken at once."""
    user = person(request)
    found = _rollout(user, rollout)
    accepted = control_rollout(user, found, body.action, body.reason, key_of(request), origin=origin(request))
    return {"id": accepted.id, "rollout": accepted.rollout, "state": state_of_accepted(accepted)}


def _rollout(user: User, public_id: str) -> Rollout:
    found = visible_rollouts(user).filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found
