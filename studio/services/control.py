"""Rollouts are paused, resumed, cancelled and tried again by people."""

from enum import StrEnum

from runtime.domain.events import Payload, ResumeReason, RolloutCancelled, RolloutPaused, RolloutResumed
from runtime.ports import Accepted, Arrival
from studio.errors import NotAllowed, NotThereAny, Refused
from studio.models import PendingEvent, Rollout, User
from studio.public_id import new_event_id
from studio.queries.rollouts import ENDED
from studio.rights import Right, has_right
from studio.services.audit import Actor, record
from studio.services.content import MAX_SHORT_BYTES, body_sha256, fit_text
from studio.services.faults import refusals
from studio.store import Accept
from studio.store.codes import TYPE_CODES
from studio.wiring import running


class Action(StrEnum):
    """What a person may do to a rollout."""

    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"


def control_rollout(
    user: User, rollout: Rollout, action: str, reason: str = "", key: str = "", *, origin: str = ""
) -> Accepted:
    """Accepts the action for the rollout, taken at once. `rollout` comes with session and project.

    Raises NotAllowed, Refused, NotThereAny (nothing to do it to), or a Faulty.
    """
    if action not in tuple(Action):
        raise Refused(f"There is no action {action[:60]!r}. Choose one of: {', '.join(Action)}.")
    _must_be_allowed(user, rollout, Action(action))
    reason = running().redactor.redact(fit_text(reason, "The reason", MAX_SHORT_BYTES))  # the audit log has it too
    body = {"action": action, "reason": reason}
    arrival = Arrival(
        rollout=rollout.public_id,
        payload=_payload(Action(action), str(user), reason),
        source=user.public_id,
        id=new_event_id(),
        sender=user.public_id if key else "",
        route=f"control {rollout.public_id}" if key else "",
        key=key,
        body_sha256=body_sha256(body) if key else "",
    )
    if not key:
        _must_make_sense(rollout, Action(action))
    with refusals():
        accepted = running().store.writer.call(Accept(arrival))
    running().nudge(rollout.public_id)
    if not accepted.repeated:
        record(Actor(user, origin), f"rollout.{action}", rollout.public_id, after=body)
    return accepted


def actions_for(user: User, rollout: Rollout) -> list[Action]:
    """What the person may do to the rollout as it is now, for buttons."""
    allowed = []
    for action in Action:
        try:
            _must_be_allowed(user, rollout, action)
            _must_make_sense(rollout, action)
        except (NotAllowed, NotThereAny):
            continue
        allowed.append(action)
    return allowed


def _must_be_allowed(user: User, rollout: Rollout, action: Action) -> None:
    if has_right(user, rollout.session.project, Right.SUPERVISE):
        return
    if action in (Action.CANCEL, Action.RETRY) and rollout.session.owner_id == user.pk and user.is_active:
        return
    raise NotAllowed(f"{action} this rollout", "a supervisor of the project")


def _must_make_sense(rollout: Rollout, action: Action) -> None:
    lifecycle = rollout.lifecycle
    if lifecycle in ENDED:
        raise NotThereAny(f"This rollout is {lifecycle} already. A new message starts a new one.")
    match action:
        case Action.PAUSE if lifecycle == "paused":
            raise NotThereAny("This rollout is paused already.")
        case Action.RESUME if lifecycle != "paused" and not _pause_waits(rollout):
            raise NotThereAny("This rollout is not paused, so there is nothing to resume.")
        case Action.RETRY if lifecycle != "failed" and rollout.waiting_for != "model":
            raise NotThereAny("This rollout has not failed, so there is nothing to try again.")


def _pause_waits(rollout: Rollout) -> bool:
    return PendingEvent.objects.filter(rollout=rollout, type=TYPE_CODES["rollout.paused"]).exists()


def _payload(action: Action, by: str, reason: str) -> Payload:
    match action:
        case Action.PAUSE:
            return RolloutPaused(by=by, reason=reason)
        case Action.RESUME:
            return RolloutResumed(by=by, reason=ResumeReason.RESUME)
        case Action.CANCEL:
            return RolloutCancelled(by=by, reason=reason)
        case Action.RETRY:
            return RolloutResumed(by=by, reason=ResumeReason.RETRY)
