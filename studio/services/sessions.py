"""Sessions are started, renamed, put away and deleted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from studio.errors import NotAllowed, Refused
from studio.models import Agent, AmpSession, Rollout, User
from studio.public_id import new_session_id
from studio.queries.sessions import untouched_session
from studio.rights import Right, has_right
from studio.services.audit import Actor, entry
from studio.services.cast import WORKFLOW, cast_of
from studio.services.content import body_sha256, fit_text
from studio.services.faults import refusals
from studio.services.first_message import first_arrival, named_in, say_to_named
from studio.services.rollout_agent import newest_text
from studio.services.start_input import Opening, StartInput, opening_of
from studio.store import ArchiveSession, Created, CreateSession, EraseSession, KeyUse, NewSession, RenameSession
from studio.wiring import running

MAX_TITLE = 200
MAX_METADATA_BYTES = 16 * 1024
TITLE_FROM_INPUT = 60


@dataclass(frozen=True, slots=True)
class Start:
    """What a new session is to be: its agents by name, or a workflow that names them; and its first message, `input`.

    `input` is an object where the entry agent's `input_schema` asks for one.

    `entry`: the agent that hears what names no other; the first, if it is empty. `draft`: its unpublished text is
    tried. `context`: values of the workflow's shared variables.
    """

    agents: Sequence[str] = ()
    entry: str = ""
    workflow: str = ""
    title: str = ""
    input: StartInput = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    draft: bool = False

    @property
    def body(self) -> dict[str, Any]:
        return {
            "agents": list(self.agents),
            "entry": self.entry,
            "title": self.title,
            "input": self.input if isinstance(self.input, str) else dict(self.input),
            "metadata": dict(self.metadata),
            "draft": self.draft,
            **({"workflow": self.workflow, "context": dict(self.context)} if self.workflow else {}),
        }


def start_session(
    user: User, agent: str, title: str = "", input: StartInput = "", key: str = "", *, draft: bool = False
) -> Created:
    """A session of the person with that agent; the shape that pages use. Raises as `start`."""
    return start(user, Start([agent], title=title, input=input, draft=draft), key)


def try_agent(user: User, agent: str, *, draft: bool = False) -> str:
    """The session to try it in: one in which nothing was said yet is opened again. Raises as `start`."""
    wanted = Start([agent], draft=draft)
    found = cast_of(user, wanted).entry
    text, version = _text_to_run(user, found, draft)
    return untouched_session(user, found, text, version) or start(user, wanted).session


def start(user: User, wanted: Start, key: str = "") -> Created:
    """A session with its entry agent's rollout and, if there is an input, its first waiting message.

    The other agents take part, and begin with what is first said to them; that may be this input, by their name.

    Raises NotAllowed, Refused, NotFitting (the input), TooLong, or a Faulty (cannot run here, another
    body under the key).
    """
    cast = cast_of(user, wanted)
    agent = cast.entry
    text, version = _text_to_run(user, agent, wanted.draft)
    named = named_in(cast, wanted.input) if isinstance(wanted.input, str) else None
    opening = opening_of(wanted.input, text) if named is None else Opening(str(wanted.input))
    title = _title(wanted.title or _first_words(opening.words))
    metadata = {**_metadata(wanted.metadata), **cast.metadata}
    to_entry = opening.says_something and named is None
    with refusals():
        rollout = running().new_rollout(
            session=new_session_id(),
            project_id=agent.project.public_id,
            text=text,
            version=version,
            by=str(user),
            metadata=metadata,
        )
        reader = (text, version, rollout.info.project)
        new = NewSession(
            rollout=rollout,
            project_pk=agent.project_id,
            owner_pk=user.pk,
            users=[user.pk],
            agents=[other.pk for other in cast.others],
            title=title,
            metadata=metadata,
            first=first_arrival(user, opening, reader, rollout.info.rollout) if to_entry else None,
            use=_key_use(user, wanted, key),
        )
        created = running().store.writer.call(CreateSession(new))
    running().nudge(created.rollout)
    if named is None:
        return created
    return replace(created, event_id=say_to_named(user, created, named, opening.words).id)


def rename_session(user: User, session: AmpSession, title: str) -> None:
    """Gives the session another title. Raises NotAllowed, Refused."""
    _must_keep(user, session, "rename this session")
    with refusals():
        running().store.writer.call(RenameSession(session.public_id, _title(title)))
    running().hub.changed(session.public_id)


def title_by_first_message(session: AmpSession, text: str) -> None:
    """Gives a session without a title the first words of what was said in it."""
    title = _title(_first_words(text))
    if session.title or not title:
        return
    with refusals():
        running().store.writer.call(RenameSession(session.public_id, title))
    running().hub.changed(session.public_id)


def archive_session(user: User, session: AmpSession) -> None:
    """Puts the session away: its rollouts end, it can be read, and nothing is sent to it. Raises NotAllowed."""
    _archive(user, session, archived=True)


def unarchive_session(user: User, session: AmpSession) -> None:
    """Takes the session out of the archive. Raises NotAllowed."""
    _archive(user, session, archived=False)


def delete_session(user: User, session: AmpSession, *, origin: str = "") -> None:
    """Erases every word of the session, for good; what runs in it is stopped. Raises NotAllowed."""
    _must_keep(user, session, "delete this session")
    rollouts = list(Rollout.objects.filter(session=session).values_list("public_id", flat=True))
    with refusals():
        told = entry(Actor(user, origin), "session.deleted", session.public_id)
        running().store.writer.call(EraseSession(session.public_id, told))
    running().services.sandbox.forget(session.public_id)
    running().hub.erased(session.public_id)
    for rollout in rollouts:
        running().nudge(rollout)


def _archive(user: User, session: AmpSession, *, archived: bool) -> None:
    _must_keep(user, session, "archive this session")
    with refusals():
        job = ArchiveSession(session.public_id, archived, by=str(user), source=user.public_id)
        told = running().store.writer.call(job)
    running().hub.changed(session.public_id)
    for rollout in told:
        running().nudge(rollout)


def _must_keep(user: User, session: AmpSession, action: str) -> None:
    if session.owner_id != user.pk and not has_right(user, session.project, Right.SUPERVISE):
        raise NotAllowed(action, "its owner or a supervisor")


def _metadata(given: Mapping[str, Any]) -> dict[str, Any]:
    if len(str(dict(given))) > MAX_METADATA_BYTES:
        raise Refused(f"The metadata is over {MAX_METADATA_BYTES // 1024} KiB. Keep large things elsewhere.")
    if WORKFLOW in given:
        raise Refused(f"The metadata field {WORKFLOW!r} is Studio's own. Choose another name for yours.")
    return dict(given)


def _text_to_run(user: User, agent: Agent, draft: bool) -> tuple[str, int]:
    """The text and version number to run; 0 for the draft."""
    if draft:
        if not has_right(user, agent.project, Right.WRITE_AGENTS):
            raise NotAllowed("try drafts of this project's agents", "an administrator to make you an author")
        return agent.draft, 0
    return newest_text(agent)


def _first_words(text: str) -> str:
    """For a title. Secrets go first, since a cut would leave a part of one that nobody knows again."""
    return " ".join(running().redactor.redact(text)[:300].split())[:TITLE_FROM_INPUT]


def _title(title: str) -> str:
    title = running().redactor.redact(fit_text(" ".join(title.split()), "The title", 4 * MAX_TITLE))
    if len(title) > MAX_TITLE:
        raise Refused(f"The title is over {MAX_TITLE} characters. Shorten it.")
    return title


def _key_use(user: User, wanted: Start, key: str) -> KeyUse:
    return KeyUse(user.public_id, "sessions", key, body_sha256(wanted.body)) if key else KeyUse()
