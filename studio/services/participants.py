"""People and agents join a session, and leave it."""

from collections.abc import Mapping

from studio.errors import NotAllowed, NotThereAny, Refused
from studio.models import AmpSession, Participant, SessionState, User
from studio.rights import Right, has_right
from studio.services.audit import Actor, entry
from studio.services.cast import agent_to_talk_to
from studio.services.faults import refusals
from studio.store.joining import JoinSession, LeaveSession
from studio.wiring import running

MOST = 50


def add_person(user: User, session: AmpSession, who: str, *, origin: str = "") -> Participant:
    """Lets another person of the project take part, by public id or name. Raises NotAllowed, Refused, NotThereAny."""
    _must_be_open_to(user, session)
    found = User.objects.visible_to(user)
    person = found.filter(public_id=who).first() or found.filter(username=who).first()
    if person is None or not has_right(person, session.project, Right.TALK):
        raise Refused(f"There is nobody called {who[:64]!r} in this project. Ask an administrator to add them.")
    _join(user, session, origin, {"user": person.username}, user_pk=person.pk)
    return Participant.objects.select_related("user", "agent").get(session=session, user=person, left_at=None)


def add_agent(user: User, session: AmpSession, name: str, *, origin: str = "") -> Participant:
    """Lets another agent of the project take part; it begins with what is first said to it.

    Raises NotAllowed, Refused, NotThereAny.
    """
    _must_be_open_to(user, session)
    agent = agent_to_talk_to(user, name, session.project)
    if not agent.versions.exists():
        raise Refused(f"The agent {agent.name} has no published version yet. Publish it first.")
    _join(user, session, origin, {"agent": agent.name}, agent_pk=agent.pk)
    return Participant.objects.select_related("user", "agent").get(session=session, agent=agent, left_at=None)


def remove_participant(user: User, session: AmpSession, participant: Participant, *, origin: str = "") -> None:
    """Ends a participation: one's own, or as the session's owner or a supervisor. What an agent does there ends.

    Raises NotAllowed, Refused for the owner and for the entry agent.
    """
    if participant.user_id != user.pk:
        _must_keep(user, session)
    if participant.user_id is not None and participant.user_id == session.owner_id:
        raise Refused("The owner of a session cannot leave it. Archive or delete the session instead.")
    if participant.agent_id is not None and participant.agent_id == session.entry_agent_id:
        raise Refused("The session's first agent cannot leave it. Archive or delete the session instead.")
    said = {"user": participant.user.username} if participant.user else {"agent": str(participant.agent)}
    job = LeaveSession(
        session.public_id,
        participant.pk,
        by=str(user),
        source=user.public_id,
        entry=entry(Actor(user, origin), "session.left", session.public_id, before=said),
    )
    with refusals():
        cancelled = running().store.writer.call(job)
    running().hub.changed(session.public_id)
    for rollout in cancelled:
        running().nudge(rollout)


def _join(user: User, session: AmpSession, origin: str, said: Mapping[str, str], **who: int) -> None:
    told = entry(Actor(user, origin), "session.joined", session.public_id, after=dict(said))
    with refusals():
        running().store.writer.call(JoinSession(session.public_id, entry=told, **who))
    running().hub.changed(session.public_id)


def _must_be_open_to(user: User, session: AmpSession) -> None:
    _must_keep(user, session)
    if session.state != SessionState.OPEN:
        raise NotThereAny("This session is archived. Take it out of the archive to go on with it.")
    if Participant.objects.filter(session=session, left_at=None).count() >= MOST:
        raise Refused(f"A session has at most {MOST} participants. Let somebody leave first.")


def _must_keep(user: User, session: AmpSession) -> None:
    if session.owner_id != user.pk and not has_right(user, session.project, Right.SUPERVISE):
        raise NotAllowed("change who takes part in this session", "its owner or a supervisor")
