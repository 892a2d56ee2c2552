"""`/rollouts/ID`: state, trajectory, the exact prompt of a step, and control."""

from collections.abc import Set as AbstractSet
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router

from runtime.ports import Accepted
from studio.api.asking import key_of, origin, person
from studio.api.errors import NotFound
from studio.api.shapes import Control
from studio.errors import NotFitting
from studio.models import Rollout, User
from studio.queries.acceptance import state_of_accepted
from studio.queries.events import MOST, envelopes_of
from studio.queries.prompts import told
from studio.queries.rollouts import rollout_summary, visible_rollouts
from studio.queries.viewer import viewer_of
from studio.services.audit import Actor
from studio.services.control import control_rollout, raise_limit, set_state
from studio.services.prompts import read_prompt

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
    shown = read_prompt(Actor.of(request), found, viewer_of(found.session, user), step, attempt)
    if shown is None:
        raise NotFound
    return told(found, shown)


@router.post("/rollouts/{rollout}/control", url_name="rollout-control")
def control(request: HttpRequest, rollout: str, body: Control) -> dict[str, Any]:
    """Pause, resume, cancel, retry, set_state or raise_limit; taken at once."""
    accepted = _ordered(person(request), _rollout(person(request), rollout), body, key_of(request), origin(request))
    return {"id": accepted.id, "rollout": accepted.rollout, "state": state_of_accepted(accepted)}


def _ordered(user: User, rollout: Rollout, body: Control, key: str, origin: str) -> Accepted:
    given = {name for name in ("state", "set", "limit", "value") if getattr(body, name) is not None}
    match body.action:
        case "set_state":
            _must_have(body.action, given, {"state"}, {"set"})
            return set_state(user, rollout, body.state or "", set=body.set, reason=body.reason, key=key, origin=origin)
        case "raise_limit":
            _must_have(body.action, given, {"limit", "value"})
            return raise_limit(
                user, rollout, body.limit or "", body.value or 0, reason=body.reason, key=key, origin=origin
            )
        case action:
            _must_have(action, given, set())
            return control_rollout(user, rollout, action, body.reason, key, origin=origin)


def _must_have(action: str, given: set[str], needed: set[str], optional: AbstractSet[str] = frozenset()) -> None:
    """Raises NotFitting for a field that is missing, or that does not go with the action."""
    for name in sorted(needed - given):
        raise NotFitting(f"The action {action} needs the field {name}.")
    for name in sorted(given - needed - optional):
        raise NotFitting(f"The field {name} does not go with the action {action[:60]}. Leave it out.")


def _rollout(user: User, public_id: str) -> Rollout:
    found = visible_rollouts(user).filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found
