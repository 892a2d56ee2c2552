"""Who may write a rollout, and until when. Times are the database's."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from runtime.domain.pending import Pending
from runtime.ports import RolloutInfo
from studio.store.batch import Batch, Needs
from studio.store.event_rows import event_columns
from studio.store.row import RolloutRow
from studio.store.sql import marks

LEASE_MICROSECONDS = 6_000_000  # three missed renewals; a longer one delays resume after a frozen worker
RUNNABLE_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Taken:
    """A claimed rollout; `rows` are its events as `event_of` reads them."""

    info: RolloutInfo
    epoch: int
    urgent: int
    rows: Sequence[Sequence[Any]]
    pending: Sequence[Pending]


@dataclass(frozen=True, slots=True)
class Claim:
    """Takes the lease with a new epoch; None if another owner's lease stands. Raises NoSuchRollout."""

    only_reads: ClassVar[bool] = False

    rollout: str
    owner: str

    def needs(self, needs: Needs) -> None:
        needs.rollouts.add(self.rollout)

    def apply(self, batch: Batch) -> RolloutRow | None:
        row = batch.row(self.rollout).kept()
        if row.lease_owner not in (None, self.owner) and row.lease_until > batch.database_now():
            return None
        row.epoch += 1
        row.lease_owner, row.lease_until = self.owner, batch.database_now() + LEASE_MICROSECONDS
        row.is_changed = True
        batch.want_queue(row)
        return row

    def finish(self, batch: Batch, applied: RolloutRow | None) -> Taken | None:
        if applied is None:
            return None
        rest = "FROM studio_event e WHERE e.rollout_id = %s ORDER BY e.seq"
        return Taken(
            info=_info(batch, applied.pk),
            epoch=applied.epoch,
            urgent=applied.urgent,
            rows=batch.sql.rows(event_columns(batch.sql), rest, [applied.pk]),
            pending=batch.queue_of(applied),
        )


def _info(batch: Batch, rollout_pk: int) -> RolloutInfo:
    columns = (
        "r.public_id",
        "s.public_id",
        "p.public_id",
        "a.name",
        "coalesce(v.number, 0)",
        "coalesce(v.text, r.draft_text, '')",
        "coalesce(root.public_id, '')",
        "coalesce(parent.public_id, '')",
    )
    rest = (
        "FROM studio_rollout r JOIN studio_ampsession s ON s.id = r.session_id "
        "JOIN studio_project p ON p.id = s.project_id JOIN studio_agent a ON a.id = r.agent_id "
        "LEFT JOIN studio_agentversion v ON v.id = r.version_id LEFT JOIN studio_rollout root ON root.id = r.root_id "
        "LEFT JOIN studio_rollout parent ON parent.id = r.parent_id WHERE r.id = %s"
    )
    rollout, session, project, agent, version, text, root, parent = batch.sql.rows(columns, rest, [rollout_pk])[0]
    return RolloutInfo(rollout, session, project, agent, version, text, root=root, parent=parent)


@dataclass(frozen=True, slots=True)
class Release:
    """Hands the lease back, if the epoch is still the caller's."""

    only_reads: ClassVar[bool] = False

    rollout: str
    epoch: int

    def needs(self, needs: Needs) -> None:
        needs.rollouts.add(self.rollout)

    def apply(self, batch: Batch) -> None:
        row = batch.rows.get(self.rollout)
        if row is not None and row.epoch == self.epoch:
            row.lease_owner, row.lease_until, row.is_changed = None, 0, True

    def finish(self, _batch: Batch, _applied: None) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Renew:
    """Prolongs the leases that the owner still has, with one statement; the ids of those."""

    owner: str
    rollouts: Sequence[str]

    def run(self, batch: Batch) -> Collection[str]:
        if not self.rollouts:
            return ()
        lock = "" if batch.sql.is_sqlite else " FOR UPDATE"
        rest = (
            f"FROM studio_rollout WHERE lease_owner = %s AND public_id IN ({marks(len(self.rollouts))}) "
            f"ORDER BY id{lock}"
        )
        mine = [row[0] for row in batch.sql.rows(("public_id",), rest, [self.owner, *self.rollouts])]
        if mine:
            batch.sql.execute(
                f"UPDATE studio_rollout SET lease_until = {batch.sql.now} + {LEASE_MICROSECONDS} "
                f"WHERE public_id IN ({marks(len(mine))})",
                mine,
            )
        return mine


@dataclass(frozen=True, slots=True)
class Runnable:
    """Rollouts that have something to do and no other living owner; what nobody runs first, then by due time."""

    only_reads: ClassVar[bool] = True

    owner: str

    def needs(self, needs: Needs) -> None:
        """Nothing: it reads at the end."""

    def apply(self, _batch: Batch) -> None:
        return None

    def finish(self, batch: Batch, _applied: None) -> Sequence[str]:
        now = batch.sql.now
        rest = (
            f"FROM studio_rollout WHERE due_at IS NOT NULL AND due_at <= {now} "
            f"AND (lease_owner IS NULL OR lease_owner = %s OR lease_until <= {now}) "
            f"ORDER BY CASE WHEN lease_owner = %s THEN 1 ELSE 0 END, due_at LIMIT {RUNNABLE_AT_ONCE}"
        )
        return [row[0] for row in batch.sql.rows(("public_id",), rest, [self.owner, self.owner])]


@dataclass(frozen=True, slots=True)
class FreeLeases:
    """Ends every lease: for the process that got the lock which its former owner held until it died."""

    def run(self, batch: Batch) -> int:
        return batch.sql.execute(
            "UPDATE studio_rollout SET lease_owner = NULL, lease_until = 0 WHERE lease_owner IS NOT NULL"
        )
