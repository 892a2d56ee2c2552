"""Sessions and rollouts are made: rows, participants and the first event in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.ports import Arrival, NewRollout
from studio.models import Agent, AgentVersion, AmpSession, Participant, Rollout
from studio.store.absent import NotThere
from studio.store.accepting import Accept
from studio.store.batch import Batch, KeyRow, Needs
from studio.store.keys import NO_KEY, KeyUse, used_before
from studio.store.row import RolloutRow


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session with the rollout of its entry agent. `users` and `agents` are primary keys of other participants.

    `rollout.info.session` and `.project` are public ids; version 0 means `agent_text` is a draft that is tried.
    `first` is the first pending event, with an empty key of its own: `use` is the key of the whole.
    """

    rollout: NewRollout
    project_pk: int
    owner_pk: int | None
    users: Sequence[int]
    agents: Sequence[int] = ()
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    first: Arrival | None = None
    use: KeyUse = NO_KEY


@dataclass(frozen=True, slots=True)
class Created:
    """`repeated`: the key was used before, with the same body; the ids are those of the first time."""

    session: str
    rollout: str
    event_id: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class CreateSession:
    """Makes session, participants, rollout, `rollout.started` and the first pending event.

    Raises KeyReused, NotThere.
    """

    new: NewSession

    def run(self, batch: Batch) -> Created:
        new, info = self.new, self.new.rollout.info
        if new.use.key:
            batch.read(Needs(keys={new.use.digest}))
            if first := used_before(batch, new.use):
                made = AmpSession.objects.using(batch.alias).get(rollouts=first.rollout_pk)
                return Created(made.public_id, first.rollout, first.event_id, repeated=True)
        agent = agent_in(batch, new.project_pk, info.agent)
        session = AmpSession.objects.using(batch.alias).create(
            public_id=info.session,
            project_id=new.project_pk,
            owner_id=new.owner_pk,
            title=new.title,
            entry_agent=agent,
            metadata=dict(new.metadata),
        )
        people = [Participant(session=session, user_id=pk) for pk in new.users]
        agents = [Participant(session=session, agent_id=pk) for pk in (agent.pk, *new.agents)]
        Participant.objects.using(batch.alias).bulk_create([*people, *agents])
        rollout_pk = insert_rollout(batch, session, agent, new.rollout)
        self._first(batch, rollout_pk)
        return Created(info.session, info.rollout, new.first.id if new.first else "")

    def _first(self, batch: Batch, rollout_pk: int) -> None:
        new, use = self.new, self.new.use
        if new.first is not None:
            Accept(new.first).apply(batch)
        if use.key:
            event_id = new.first.id if new.first else ""
            batch.add_key(KeyRow(use.digest, use.body, new.rollout.info.rollout, rollout_pk, event_id, batch.now))


@dataclass(frozen=True, slots=True)
class CreateRollout:
    """Makes a rollout with its first event in a session that is there. Raises NotThere."""

    new: NewRollout

    def run(self, batch: Batch) -> None:
        info = self.new.info
        session = AmpSession.objects.using(batch.alias).filter(public_id=info.session).first()
        if session is None:
            raise NotThere(f"session {info.session}")
        insert_rollout(batch, session, agent_in(batch, session.project_id, info.agent), self.new)


def agent_in(batch: Batch, project_pk: int, name: str) -> Agent:
    agent = Agent.objects.using(batch.alias).filter(project=project_pk, name=name).first()
    if agent is None:
        raise NotThere(f"agent {name}")
    return agent


def insert_rollout(batch: Batch, session: AmpSession, agent: Agent, new: NewRollout) -> int:
    """The rollout's row, as it is before its first event; then that event, by the way of all others."""
    info = new.info
    version = None
    if info.version:
        version = AgentVersion.objects.using(batch.alias).filter(agent=agent, number=info.version).first()
        if version is None:
            raise NotThere(f"version {info.version} of agent {info.agent}")
    above = _above(batch, new)
    rollout = Rollout.objects.using(batch.alias).create(
        public_id=info.rollout,
        session=session,
        agent=agent,
        version=version,
        draft_text=None if version else info.agent_text,
        created_at=new.started.at,
        last_sha256=b"",
        lifecycle=new.projection.lifecycle,
        parent_id=above.pk if above else None,
        root_id=(above.root_pk or above.pk) if above else None,
    )
    batch.read(Needs(rollouts={info.rollout}))
    row = batch.row(info.rollout)
    batch.add_events(row, [new.started])
    batch.show(row, new.projection)
    return int(rollout.pk)


def _above(batch: Batch, new: NewRollout) -> RolloutRow | None:
    """The parent of a sub-agent. Raises NoSuchRollout."""
    if not new.info.parent:
        return None
    batch.read(Needs(trees={new.info.parent}))
    return batch.row(new.info.parent)
