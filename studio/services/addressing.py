"""To whom something said in a session goes: `to`, then `@name`, then the agent that asked, then the entry agent.

Source: runtime.md, section 9, "Addressing".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from studio.errors import NotThereAny, Refused
from studio.models import Agent, AmpSession, Participant, Rollout, User
from studio.queries.person_questions import open_person_questions
from studio.queries.rollouts import ENDED, rollouts_of

EVERYBODY = "*"
NAMED = re.compile(r"\s*@([A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?![\w-])")


@dataclass(frozen=True, slots=True)
class Target:
    """An agent in the session with its newest rollout; None for a participant to whom nothing was said yet."""

    agent: Agent
    rollout: Rollout | None


@dataclass(frozen=True, slots=True)
class Address:
    """What decides to whom an event goes. `form`: the call whose form it answers, if it does."""

    type: str
    to: str = ""
    text: str = ""
    form: str = ""


def targets_of(user: User, session: AmpSession, address: Address) -> Sequence[Target]:
    """Those that the event goes to; at least one. Raises Refused, NotThereAny."""
    rollouts = list(rollouts_of(session).select_related("session", "session__project"))
    if address.to == EVERYBODY:
        if address.type != "supervisor.instruction":
            raise Refused('Only an instruction can go to all agents of a session. Name one in "to", or leave it out.')
        return _all(session, rollouts)
    if address.to:
        return [_by_name(session, rollouts, address.to.removeprefix("@"))]
    named = _mentioned(session, rollouts, address.text)
    return [named or _asking(user, rollouts, address) or _entry(session, rollouts)]


def agents_in(session: AmpSession) -> dict[str, Agent]:
    """The agents that take part, by name."""
    joined = Participant.objects.filter(session=session, left_at=None, agent__isnull=False).select_related("agent")
    return {row.agent.name: row.agent for row in joined.order_by("pk") if row.agent is not None}


def _all(session: AmpSession, rollouts: Sequence[Rollout]) -> list[Target]:
    living = [rollout for rollout in rollouts if rollout.lifecycle not in ENDED]
    return [Target(rollout.agent, rollout) for rollout in living] or [_entry(session, rollouts)]


def _by_name(session: AmpSession, rollouts: Sequence[Rollout], name: str) -> Target:
    for rollout in rollouts:
        if rollout.public_id == name:
            if rollout.parent_id is not None and rollout.lifecycle in ENDED:
                raise NotThereAny(f"That agent was called by another one and is {rollout.lifecycle}. Ask that one.")
            return Target(rollout.agent, rollout)
    found = _agent(session, rollouts, name)
    if found is None:
        raise Refused(f'There is no agent {name[:64]!r} in this session. Leave out "to" for its first agent.')
    return found


def _agent(session: AmpSession, rollouts: Sequence[Rollout], name: str) -> Target | None:
    """The participant of that name, or an agent that another one has called and that still works."""
    agent = agents_in(session).get(name)
    if agent is not None:
        mine = _of_people(rollouts, agent.pk)
        return Target(agent, mine[-1] if mine else None)
    living = [rollout for rollout in rollouts if rollout.agent.name == name and rollout.lifecycle not in ENDED]
    return Target(living[-1].agent, living[-1]) if living else None


def _mentioned(session: AmpSession, rollouts: Sequence[Rollout], text: str) -> Target | None:
    """The agent named at the start of the text; an unknown name is a word like others."""
    found = NAMED.match(text)
    return _agent(session, rollouts, found[1].lower()) if found else None


def _asking(user: User, rollouts: Sequence[Rollout], address: Address) -> Target | None:
    """The agent whose question to this person is open: the one that the form answers, else the newest."""
    if address.type != "user.input":
        return None
    asked = open_person_questions(rollouts, user.public_id)
    asking = [question for question in asked if question.output.call_id == address.form] or asked
    return Target(asking[-1].rollout.agent, asking[-1].rollout) if asking else None


def _entry(session: AmpSession, rollouts: Sequence[Rollout]) -> Target:
    mine = _of_people(rollouts, session.entry_agent_id)
    if mine:
        return Target(mine[-1].agent, mine[-1])
    if session.entry_agent is None:
        raise NotThereAny('This session has no agent to begin with. Name one in "to".')
    return Target(session.entry_agent, None)


def _of_people(rollouts: Sequence[Rollout], agent_pk: int | None) -> list[Rollout]:
    """The agent's rollouts that people speak to; not those that another agent called."""
    return [rollout for rollout in rollouts if rollout.agent_id == agent_pk and rollout.parent_id is None]
