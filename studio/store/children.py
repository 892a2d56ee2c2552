"""Sub-agents: rollouts that are made in the transaction of their parent's append."""

from runtime.ports import NewRollout
from studio.models import Rollout
from studio.store.batch import Batch
from studio.store.row import RolloutRow
from studio.store.usage import Usage


def agent_of(new: NewRollout) -> tuple[str, str, int]:
    """Which agent and version it runs, as `Needs.agents` names them."""
    return new.info.project, new.info.agent, new.info.version


def insert_child(batch: Batch, parent: RolloutRow, new: NewRollout) -> None:
    """The row of a rollout below `parent`, in its session and its tree; then its first event. Raises NotThere."""
    info, agent = new.info, batch.agent(agent_of(new))
    root_pk = parent.pk if parent.root_pk is None else parent.root_pk
    made = Rollout.objects.using(batch.alias).create(
        public_id=info.rollout,
        session_id=parent.session_pk,
        agent_id=agent.pk,
        version_id=agent.version_pk,
        draft_text=info.agent_text if agent.version_pk is None else None,
        root_id=root_pk,
        parent_id=parent.pk,
        created_at=new.started.at,
        last_sha256=b"",
        lifecycle=new.projection.lifecycle,
    )
    row = _unstarted(made.pk, info.rollout, parent.session_pk, root_pk)
    batch.add_row(row)
    batch.add_events(row, [new.started])
    batch.show(row, new.projection)


def _unstarted(pk: int, rollout: str, session_pk: int, root_pk: int) -> RolloutRow:
    """The row as it was just inserted."""
    return RolloutRow(
        pk=pk,
        rollout=rollout,
        session_pk=session_pk,
        next_seq=1,
        epoch=0,
        urgent=0,
        pending=0,
        pressing=0,
        waiting_for="",
        lease_owner=None,
        lease_until=0,
        lifecycle="",
        waiting_until=0,
        wake_at=0,
        root_pk=root_pk,
        used=Usage(),
        tree=Usage(),
        budget=Usage(),
        fence=(1, 0, 0),
        is_erased=False,
    )
