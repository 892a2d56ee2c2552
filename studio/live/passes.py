"""Who may look, and for how long: checked when a stream opens and, for all open streams at once, every second."""

import asyncio
import logging
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from django.contrib.sessions.models import Session
from django.utils import timezone

from studio.live.log import in_thread
from studio.live.watch import Watch
from studio.models import AmpSession, ApiToken, Membership, Participant, SessionShare, User
from studio.queries.accounts import is_still_allowed
from studio.queries.sessions import NoSuchSession, session_for
from studio.queries.viewer import Viewer, viewer_of

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0  # a lost right closes its streams within two seconds
MAX_STREAMS = 40  # of one person: as many tabs as anybody has, and a bound
CLOSED = "You may not read this session any more. Sign in again, or ask its owner."


@dataclass(frozen=True, slots=True)
class Pass:
    """What let a person in: a token, or the session of their browser."""

    user_pk: int
    token_pk: int | None = None
    session_key: str | None = None


@dataclass(slots=True)
class Entered:
    """An open stream, and what its rights hang on as it was last seen."""

    watch: Watch
    pass_: Pass
    seen: Hashable = field(default=None)


class TooManyStreams(Exception):
    """The person has as many streams open as anybody may have."""

    def __str__(self) -> str:
        return f"You have {MAX_STREAMS} live connections open already. Close a tab or a script, then try again."


class Doorkeeper:
    """Of the open streams of this process."""

    def __init__(self) -> None:
        self._entered: dict[Watch, Entered] = {}
        self._count: Counter[int] = Counter()
        self._chore: asyncio.Task[None] | None = None

    def enter(self, watch: Watch, pass_: Pass) -> None:
        """Look after this stream from now on. Raises TooManyStreams."""
        self.must_have_room(pass_)
        self._count[pass_.user_pk] += 1
        self._entered[watch] = Entered(watch, pass_)
        if self._chore is None or self._chore.done():
            self._chore = asyncio.create_task(self._look_after(), name="doorkeeper")

    def must_have_room(self, pass_: Pass) -> None:
        """Raises TooManyStreams if this person may not open another one."""
        if self._count[pass_.user_pk] >= MAX_STREAMS:
            raise TooManyStreams

    def leave(self, watch: Watch) -> None:
        entered = self._entered.pop(watch, None)
        if entered is not None:
            self._count[entered.pass_.user_pk] -= 1

    async def _look_after(self) -> None:
        while self._entered:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except Exception:
                log.exception("rights of open streams could not be checked; they are checked again in a second")

    async def look(self) -> None:
        """Close the streams of those who may no longer look; change what the others are shown, if need be."""
        entered = list(self._entered.values())
        facts = await _facts([item.pass_ for item in entered])
        for item in entered:
            now = facts[item.pass_]
            if item.seen == now:
                continue
            item.seen = now
            viewer = await current_viewer(item.pass_, item.watch.session.public_id)
            if viewer is None:
                item.watch.close(CLOSED)
            else:
                item.watch.viewer = viewer


doorkeeper = Doorkeeper()


@in_thread
def admitted(pass_: Pass, session: str) -> tuple[AmpSession, Viewer] | None:
    """The session and how the person looks at it; None if they may not, or it is not there."""
    return _admitted(pass_, session)


@in_thread
def current_viewer(pass_: Pass, session: str) -> Viewer | None:
    found = _admitted(pass_, session)
    return None if found is None else found[1]


def _admitted(pass_: Pass, session: str) -> tuple[AmpSession, Viewer] | None:
    if not is_still_allowed(pass_.user_pk, pass_.token_pk, pass_.session_key):
        return None
    user = User.objects.get(pk=pass_.user_pk)
    try:
        found = session_for(user, session)
    except NoSuchSession:
        return None
    return found, viewer_of(found, user)


@in_thread
def _facts(passes: Sequence[Pass]) -> Mapping[Pass, Hashable]:
    """Everything that rights hang on, read for all of them together: it is compared, not understood."""
    users = {item.user_pk for item in passes}
    people = dict(User.objects.filter(pk__in=users).values_list("pk", "disabled_at"))
    administrators = set(User.objects.filter(pk__in=users, is_administrator=True).values_list("pk", flat=True))
    roles = set(Membership.objects.filter(user__in=users).values_list("user", "project", "role"))
    joined = set(Participant.objects.filter(user__in=users, left_at=None).values_list("user", "session"))
    shared = set(SessionShare.objects.filter(user__in=users).values_list("user", "session"))
    tokens = {item.token_pk for item in passes if item.token_pk is not None}
    usable = set(ApiToken.objects.usable().filter(pk__in=tokens).values_list("pk", flat=True))
    keys = {item.session_key for item in passes if item.session_key is not None}
    live = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    signed_in = set(live.values_list("session_key", flat=True))
    of_user = {
        pk: (
            people.get(pk),
            pk in administrators,
            frozenset(role for role in roles if role[0] == pk),
            frozenset(pair for pair in joined if pair[0] == pk),
            frozenset(pair for pair in shared if pair[0] == pk),
        )
        for pk in users
    }
    return {item: (of_user[item.user_pk], item.token_pk in usable, item.session_key in signed_in) for item in passes}
