"""Rollouts are paused, resumed, cancelled and tried again by people, moved to a state, and given more room."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from functools import partial
from typing import Any

from runtime.domain.events import Payload, ResumeReason, RolloutCancelled, RolloutPaused, RolloutResumed
from runtime.ports import Accepted, Arrival, RolloutEnded
from studio.errors import NotAllowed, NotThereAny, Refused
from studio.models import AmpSession, PendingEvent, Project, Rollout, User
from studio.public_id import new_event_id
from studio.queries.limits import BUDGETS
from studio.queries.rollouts import ENDED, rollouts_of
from studio.rights import Right, has_right
from studio.services.audit import Actor, entry
from studio.services.content import MAX_SHORT_BYTES, body_sha256, fit_text
from studio.services.faults import refusals
from studio.services.orders import raised_limit, state_update
from studio.services.rollout_agent import agent_of
from studio.store import Accept, KeyUse
from studio.store.codes import TYPE_CODES
from studio.store.reading import accepted_before
from studio.wiring import running


class Action(StrEnum):
    """What a person may do to a rollout."""

    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"
    SET_STATE = "set_state"
    RAISE_LIMIT = "raise_limit"


SIMPLE = (Action.PAUSE, Action.RESUME, Action.CANCEL, Action.RETRY)
"""Those that need nothing but a reason."""
OF_SESSION = (Action.PAUSE, Action.RESUME, Action.CANCEL)


def control_rollout(
    user: User, rollout: Rollout, action: str, reason: str = "", key: str = "", *, origin: str = ""
) -> Accepted:
    """Accepts the action for the rollout, taken at once. `rollout` comes with session and project.

    Raises NotAllowed, Refused, NotThereAny (nothing to do it to), or a Faulty.
    """
    if action not in SIMPLE:
        raise Refused(f"There is no action {action[:60]!r}. Choose one of: {', '.join(Action)}.")
    _must_be_allowed(user, rollout.session, Action(action))
    reason = _reason(reason)
    body = {"action": action, "reason": reason}
    payload = partial(_payload, Action(action), str(user), reason)
    return _accept(Actor(user, origin), rollout, Action(action), payload, body, key)


def set_state(
    user: User,
    rollout: Rollout,
    state: str,
    *,
    set: Mapping[str, Any] | None = None,
    reason: str = "",
    key: str = "",
    origin: str = "",
) -> Accepted:
    """Moves the business state to any of the agent's states, without its guards; values must fit their variables.

    Raises NotAllowed, Refused (with the states that there are), NotThereAny (ended), or a Faulty.
    """
    _must_be_allowed(user, rollout.session, Action.SET_STATE)
    reason = _reason(reason)
    body = {"action": Action.SET_STATE.value, "state": state, "set": dict(set or {}), "reason": reason}

    def payload() -> Payload:
        return state_update(rollout, agent_of(rollout), state, set or {}, by=str(user), reason=reason)

    return _accept(Actor(user, origin), rollout, Action.SET_STATE, payload, body, key)


def raise_limit(
    user: User, rollout: Rollout, limit: str, value: float, *, reason: str = "", key: str = "", origin: str = ""
) -> Accepted:
    """Gives the rollout more room, and lets it go on if it was the limit that paused it.

    `limit`: budget.tokens, budget.usd, max_steps or max_tool_calls; a budget is that of the whole tree, so it is
    raised at its root. Raises NotAllowed, Refused (not over what it is now), NotThereAny (ended), or a Faulty.
    """
    _must_be_allowed(user, rollout.session, Action.RAISE_LIMIT)
    if limit in BUDGETS and rollout.root is not None:
        rollout = rollout.root
    reason = _reason(reason)
    body = {"action": Action.RAISE_LIMIT.value, "limit": limit, "value": value, "reason": reason}

    def payload() -> Payload:
        return raised_limit(rollout, agent_of(rollout), limit, value, by=str(user), reason=reason)

    accepted = _accept(Actor(user, origin), rollout, Action.RAISE_LIMIT, payload, body, key)
    if limit in BUDGETS and not accepted.repeated:
        _go_on_below(
            user, rollout, RolloutResumed(by=str(user), reason=ResumeReason.LIMIT, limits={limit: value}, why=reason)
        )
    return accepted


def _go_on_below(user: User, root: Rollout, resumed: RolloutResumed) -> None:
    """The sub-agents that the budget of the tree has paused go on as well; what a person has paused stays so."""
    for rollout in root.tree.filter(lifecycle="paused").values_list("public_id", flat=True):
        with suppress(RolloutEnded):
            running().store.writer.call(Accept(Arrival(rollout, resumed, user.public_id, new_event_id())))
        running().nudge(rollout)


def control_session(
    user: User, session: AmpSession, action: str, reason: str = "", key: str = "", *, origin: str = ""
) -> list[Accepted]:
    """Pauses, resumes or cancels every agent of the session that people speak to; their sub-agents follow them.

    Raises NotAllowed, Refused, NotThereAny (nothing to do it to), or a Faulty.
    """
    if action not in OF_SESSION:
        raise Refused(f"There is no action {action[:60]!r} for a session. Choose one of: {', '.join(OF_SESSION)}.")
    _must_be_allowed(user, session, Action(action))
    rollouts = rollouts_of(session).filter(parent=None).select_related("session", "session__project")
    chosen = [rollout for rollout in rollouts if key or _makes_sense(rollout, Action(action))]
    if not chosen:
        raise NotThereAny(f"There is nothing to {action} in this session.")
    return [control_rollout(user, rollout, action, reason, key, origin=origin) for rollout in chosen]


def actions_for(user: User, rollout: Rollout) -> list[Action]:
    """What the person may do to the rollout as it is now, for buttons; those that need nothing but a reason."""
    allowed = [action for action in SIMPLE if _is_allowed(user, rollout.session, action)]
    return [action for action in allowed if _makes_sense(rollout, action)]


def _accept(
    actor: Actor, rollout: Rollout, action: Action, payload: Callable[[], Payload], body: Mapping[str, Any], key: str
) -> Accepted:
    """`payload` is asked for, and must make sense, the first time that the key is used."""
    user = actor.user
    assert user is not None, "nobody controls rollouts from the terminal"
    use = KeyUse(user.public_id, f"control {rollout.public_id}", key, body_sha256(body)) if key else KeyUse()
    with refusals():
        if before := accepted_before(use):
            return before
        _must_make_sense(rollout, action)
        arrival = Arrival(
            rollout=rollout.public_id,
            payload=payload(),
            source=user.public_id,
            id=new_event_id(),
            sender=use.sender,
            route=use.route,
            key=use.key,
            body_sha256=use.body_sha256,
        )
        told = entry(actor, f"rollout.{action}", rollout.public_id, after=dict(body))
        accepted = running().store.writer.call(Accept(arrival, told))
    running().nudge(rollout.public_id)
    return accepted


def _reason(reason: str) -> str:
    """Without secrets: the audit log has it too. Raises Refused, TooLong."""
    return running().redactor.redact(fit_text(reason, "The reason", MAX_SHORT_BYTES))


def _must_be_allowed(user: User, session: AmpSession, action: Action) -> None:
    if not _is_allowed(user, session, action):
        raise NotAllowed(f"{action.replace('_', ' ')} here", "a supervisor of the project")


def _is_allowed(user: User, session: AmpSession, action: Action) -> bool:
    project: Project = session.project
    if has_right(user, project, Right.SUPERVISE):
        return True
    return action in (Action.CANCEL, Action.RETRY) and session.owner_id == user.pk and user.is_active


def _makes_sense(rollout: Rollout, action: Action) -> bool:
    try:
        _must_make_sense(rollout, action)
    except NotThereAny:
        return False
    return True


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
            return RolloutResumed(by=by, reason=ResumeReason.RESUME, why=reason)
        case Action.CANCEL:
            return RolloutCancelled(by=by, reason=reason)
        case _:
            return RolloutResumed(by=by, reason=ResumeReason.RETRY, why=reason)
