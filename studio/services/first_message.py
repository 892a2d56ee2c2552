"""The first message of a new session: to the agent that it names at its start, else to the entry agent."""

from dataclasses import replace

from runtime.domain.events import UserInput
from runtime.ports import Accepted, Arrival
from studio.models import Agent, AmpSession, User
from studio.public_id import new_event_id
from studio.services.addressing import NAMED
from studio.services.cast import Cast
from studio.services.content import body_sha256, fit_text, head_of
from studio.services.following import begin_agent
from studio.services.rollout_agent import newest_text
from studio.store import Created
from studio.wiring import running


def named_in(cast: Cast, text: str) -> Agent | None:
    """The agent besides the entry agent that the text names at its start."""
    found = NAMED.match(text)
    return next((agent for agent in cast.others if found and agent.name == found[1].lower()), None)


def first_arrival(user: User, text: str, agent: tuple[str, int, str], rollout: str = "") -> Arrival:
    """The message as it is accepted. `agent` is the text, version number and project of who reads it."""
    event_id = new_event_id()
    redacted = running().redactor.redact(fit_text(text))
    content, artifact, ref = head_of(redacted, event_id, lambda: running().bind_text(*agent))
    payload = UserInput(content=content, name=str(user), artifact=ref)
    return Arrival(rollout, payload, user.public_id, event_id, artifact=artifact)


def say_to_named(user: User, created: Created, named: Agent, text: str) -> Accepted:
    """Begins the named agent of the new session with the message; once, however often the creation is repeated.

    Raises as `begin_agent`.
    """
    session = AmpSession.objects.select_related("project").get(public_id=created.session)
    arrival = replace(
        first_arrival(user, text, (*newest_text(named), session.project.public_id)),
        sender=user.public_id,
        route=f"sessions/{created.session}",
        key="first",
        body_sha256=body_sha256({"input": text}),
    )
    return begin_agent(user, session, named, arrival)
