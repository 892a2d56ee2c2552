"""A person's decision about a call, with the standing grant that is given with it."""

from dataclasses import dataclass
from typing import Any

from runtime.ports import Accepted, Arrival
from studio.models import Rollout, StandingGrant
from studio.public_id import new_grant_id
from studio.store.accepting import Accept
from studio.store.auditing import Entry
from studio.store.batch import Batch, Needs


@dataclass(frozen=True, slots=True)
class NewGrant:
    """A standing grant for the rollout's agent: in the rollout's session alone, or (`everywhere`) in all sessions.

    `argument` empty = whatever the arguments are; else for calls whose argument has this `value`. `given_by` is a
    primary key. `covers_taint`: also for calls that send out after untrusted content and private data were read.
    """

    tool: str
    given_by: int
    argument: str = ""
    value: Any = None
    reason: str = ""
    everywhere: bool = False
    covers_taint: bool = False


@dataclass(frozen=True, slots=True)
class Decide:
    """Accepts the decision, makes the grant and writes the audit entry, all or none; a repeated decision is nothing.

    Raises as `Accept`.
    """

    decision: Arrival
    grant: NewGrant | None = None
    entry: Entry | None = None

    def run(self, batch: Batch) -> Accepted:
        needs, accept = Needs(), Accept(self.decision, self.entry)
        accept.needs(needs)
        batch.read(needs)
        accepted = accept.apply(batch)
        if self.grant is not None and not accepted.repeated:
            _insert(batch, self.grant, batch.row(self.decision.rollout).pk)
        return accepted


def _insert(batch: Batch, grant: NewGrant, rollout_pk: int) -> None:
    rollout = Rollout.objects.using(batch.alias).select_related("session").get(pk=rollout_pk)
    StandingGrant.objects.using(batch.alias).create(
        public_id=new_grant_id(),
        project_id=rollout.session.project_id,
        session_id=None if grant.everywhere else rollout.session_id,
        agent_id=rollout.agent_id,
        tool=grant.tool,
        argument=grant.argument,
        value=grant.value,
        covers_taint=grant.covers_taint,
        given_by_id=grant.given_by,
        reason=grant.reason,
    )
