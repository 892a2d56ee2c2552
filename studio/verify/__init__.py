"""The independent checker: reads the database alone, and knows what must hold there."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.db.backends.base.base import BaseDatabaseWrapper

from studio.verify.approvals import check_approvals
from studio.verify.audit import check_audit
from studio.verify.calls import check_calls, check_open_calls
from studio.verify.finding import Finding
from studio.verify.memories import check_memories, check_remembered
from studio.verify.order import check_chain, check_payloads, check_pos, check_seq, check_times
from studio.verify.queues import check_erased, check_ids, check_queue
from studio.verify.recount import check_projection
from studio.verify.steps import check_steps, check_waking
from studio.verify.stored import StoredRollout, rollouts, sessions
from studio.verify.timers import check_timers
from studio.verify.trees import check_trees

__all__ = ["Finding", "verify"]

POLICIES = ("retries", "idempotent")


def verify(connection: BaseDatabaseWrapper, once: Collection[str] = ()) -> list[Finding]:
    """All that is wrong in the database; at most one finding for each check and rollout.

    `once` names the tools that are neither `read` nor idempotent; agent files that change that are left out.
    """
    with _snapshot(connection):
        return list(_findings(connection, once))


def _findings(connection: BaseDatabaseWrapper, once: Collection[str]) -> Iterator[Finding]:
    for session in sessions(connection):
        if session.state == "erased":
            continue
        stored = list(rollouts(connection, session.pk))
        yield from check_pos(session, stored)
        yield from check_trees(stored)
        for rollout in stored:
            yield from _of_rollout(connection, rollout, once)
    yield from check_memories(connection)
    yield from check_ids(connection)
    yield from check_erased(connection)
    yield from check_audit(connection.alias)


def _of_rollout(connection: BaseDatabaseWrapper, rollout: StoredRollout, once: Collection[str]) -> Iterator[Finding]:
    yield from check_seq(rollout)
    yield from check_chain(rollout)
    yield from check_times(rollout)
    yield from check_payloads(rollout)
    yield from check_steps(rollout)
    has_policy = any(word in rollout.agent_text for word in POLICIES)
    yield from check_calls(rollout, () if has_policy else once)
    yield from check_open_calls(rollout)
    yield from check_approvals(rollout)
    yield from check_timers(rollout)
    yield from check_waking(rollout)
    yield from check_queue(connection, rollout)
    yield from check_remembered(connection, rollout)
    yield from check_projection(rollout)


@contextmanager
def _snapshot(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """All reads see one moment, beside a running server, and without keeping it from writing."""
    if connection.in_atomic_block:
        yield
        return
    begin = "BEGIN" if connection.vendor == "sqlite" else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    with connection.cursor() as cursor:
        cursor.execute(begin)
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
