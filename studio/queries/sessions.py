"""Sessions as lists and the API show them."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet

from studio.errors import StudioError
from studio.models import Agent, AmpSession, Participant, Rollout, SessionState, User
from studio.queries.instants import rfc3339
from studio.queries.rollouts import rollout_summary, rollouts_of

ONLY_STARTED = 2  # the next seq of a rollout whose trajectory is its `rollout.started`


class NoSuchSession(StudioError):
    """There is no such session that the person may see."""

    status = 404

    def __str__(self) -> str:
        return "There is no such session, or it is not yours to see. It may have been deleted."


def visible_sessions(user: User) -> QuerySet[AmpSession]:
    """Those that the person may see, without the erased ones; the last used first."""
    found = AmpSession.objects.visible_to(user).kept().select_related("project", "owner", "entry_agent")
    return found.order_by("-last_at", "-pk")


def session_for(user: User, public_id: str) -> AmpSession:
    """Raises NoSuchSession."""
    session = visible_sessions(user).filter(public_id=public_id).first()
    if session is None:
        raise NoSuchSession
    return session


def own_sessions(user: User, *, archived: bool = False) -> QuerySet[AmpSession]:
    """Those that the person owns or takes part in, the last used first."""
    joined = Participant.objects.filter(user=user, left_at=None).values("session")
    state = SessionState.ARCHIVED if archived else SessionState.OPEN
    return visible_sessions(user).filter(Q(owner=user) | Q(pk__in=joined), state=state)


def untouched_session(user: User, agent: Agent, text: str, version: int) -> str:
    """The person's own session that runs just this text and in which nothing was said yet; empty if there is none.

    `version` is 0 for a draft.
    """
    of_this_text = Q(version__number=version) if version else Q(draft_text=text)
    fresh = Rollout.objects.filter(of_this_text, agent=agent, next_seq=ONLY_STARTED, pending=0)
    mine = fresh.filter(session__owner=user, session__state=SessionState.OPEN, session__title="")
    return mine.order_by("-pk").values_list("session__public_id", flat=True).first() or ""


def found_sessions(user: User, *, state: str = "", agent: str = "", words: str = "") -> QuerySet[AmpSession]:
    """The visible sessions by state, by the name of an agent in them and by words of their title."""
    found = visible_sessions(user)
    if state:
        found = found.filter(state=state)
    if agent:
        found = found.filter(participants__agent__name=agent)
    for word in words.split()[:10]:
        found = found.filter(title__icontains=word)
    return found


def session_summary(session: AmpSession) -> dict[str, Any]:
    """One session as AMP lists it."""
    return {
        "id": session.public_id,
        "title": session.title,
        "state": session.state,
        "owner": session.owner.public_id if session.owner else None,
        "entry": session.entry_agent.name if session.entry_agent else None,
        "metadata": session.metadata,
        "created_at": rfc3339(session.created_at),
        "last_at": rfc3339(session.last_at),
        "last_pos": session.next_pos - 1,
    }


def session_detail(session: AmpSession) -> dict[str, Any]:
    """One session with its participants and rollouts."""
    people = session.participants.filter(left_at=None).select_related("user", "agent").order_by("pk")
    return {
        **session_summary(session),
        "participants": [participant_shown(participant) for participant in people],
        "rollouts": [rollout_summary(rollout) for rollout in rollouts_of(session).select_related("session")],
    }


def participant_of(session: AmpSession, id_: str) -> Participant | None:
    """Who takes part under that id: a person's public id, or an agent's name."""
    joined = session.participants.filter(left_at=None).select_related("user", "agent")
    return joined.filter(Q(user__public_id=id_) | Q(agent__name=id_)).first()


def participant_shown(participant: Participant) -> Mapping[str, Any]:
    """A participant as AMP tells of it."""
    if participant.user is not None:
        return {"id": participant.user.public_id, "kind": "user", "name": str(participant.user)}
    assert participant.agent is not None, "a participant is a user or an agent"
    return {"id": participant.agent.name, "kind": "agent", "name": str(participant.agent)}
