"""People show a session of theirs to the authors of its project, and take that back."""

from studio.errors import NotAllowed, NotThereAny, Refused
from studio.models import AmpSession, SessionState, User
from studio.queries.sharing import may_share, possible_readers
from studio.services.audit import Actor, entry
from studio.services.faults import refusals
from studio.store.sharing import ShareSession, UnshareSession
from studio.wiring import running


def share_session(user: User, session: AmpSession, who: str, *, origin: str = "") -> User:
    """Shows the whole session to that author, by public id or name, from now on. Raises NotAllowed, Refused."""
    _must_be_theirs(user, session)
    readers = possible_readers(user, session)
    reader = readers.filter(public_id=who).first() or readers.filter(username=who).first()
    if reader is None:
        raise Refused(f"{who[:64]!r} writes no agents in this project. A session can be shown to its authors only.")
    told = entry(Actor(user, origin), "session.shared", session.public_id, after={"user": reader.username})
    with refusals():
        running().store.writer.call(ShareSession(session.public_id, reader.pk, user.pk, told))
    return reader


def unshare_session(user: User, session: AmpSession, who: str, *, origin: str = "") -> None:
    """Takes it back, for that public id; their open pages of it close. Raises NotAllowed, NotThereAny."""
    _must_be_theirs(user, session)
    share = session.shares.select_related("user").filter(user__public_id=who).first()
    if share is None:
        raise NotThereAny("The session is not shown to them any more.")
    told = entry(Actor(user, origin), "session.unshared", session.public_id, before={"user": share.user.username})
    with refusals():
        running().store.writer.call(UnshareSession(session.public_id, share.user_id, told))


def _must_be_theirs(user: User, session: AmpSession) -> None:
    if not may_share(user, session):
        raise NotAllowed("show this session to others", "its owner")
    if session.state == SessionState.ERASED:
        raise NotThereAny("This session was erased.")
