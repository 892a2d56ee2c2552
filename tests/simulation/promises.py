"""What must hold of a run when it is over: the promises of `runtime.md`, 12, by the checker and beyond it."""

import json
from collections import Counter
from collections.abc import Iterator

from runtime.domain.apply import fold
from runtime.domain.events import (
    AgentInput,
    AgentInvocation,
    AgentResponse,
    ApprovalDecision,
    MemoryNamed,
    StepStarted,
    ToolResult,
    Verdict,
)
from runtime.domain.trajectory import Event
from runtime.stores.in_process import Row
from studio.verify.approvals import check_approvals
from studio.verify.calls import check_calls, check_open_calls
from studio.verify.order import check_chain, check_payloads, check_pos, check_seq, check_times
from studio.verify.recount import check_projection
from studio.verify.steps import check_steps, check_waking
from studio.verify.stored import PROJECTED, StoredEvent, StoredRollout, StoredSession
from studio.verify.timers import check_timers
from studio.verify.trees import check_trees
from tests.simulation.world import World

CHECKS = (
    check_seq,
    check_chain,
    check_times,
    check_payloads,
    check_steps,
    check_open_calls,
    check_approvals,
    check_timers,
    check_waking,
    check_projection,
)


def faults_of(world: World) -> list[str]:
    """All that is wrong, in sentences."""
    kinds = (_by_the_checker, _lost_or_doubled, _repeated, _unanswered, _remembered)
    return [fault for faults in kinds for fault in faults(world)]


def _by_the_checker(world: World) -> Iterator[str]:
    """Promises 2 to 5, 7 and 12, from the rows as they would be stored."""
    rows = list(world.store.rows.values())
    keys = {row.info.rollout: number for number, row in enumerate(rows, start=1)}
    stored = [_stored(world, row, keys) for row in rows]
    session = StoredSession(1, "s_1", "open", world.store.positions["s_1"] + 1)
    for check in CHECKS:
        for rollout in stored:
            yield from map(str, check(rollout))
    for rollout in stored:
        yield from map(str, check_calls(rollout, ()))
    yield from map(str, check_pos(session, stored))
    yield from map(str, check_trees(stored))
    for row in rows:
        if fold(event.at_pos(0) for event in row.events) != world.state(row.info.rollout):
            yield f"{row.info.rollout}: another fold gives another state"


def _stored(world: World, row: Row, keys: dict[str, int]) -> StoredRollout:
    tree = [other.projection for other in world.store._tree(row)]
    tokens = sum(one.tokens_in + one.tokens_out + one.reserved_tokens for one in tree)
    return StoredRollout(
        pk=keys[row.info.rollout],
        public_id=row.info.rollout,
        session_pk=1,
        next_seq=len(row.events) + 1,
        last_sha256=row.events[-1].sha256,
        pending=len(row.pending),
        pressing=0,
        due_at=row.due_at,
        root_pk=keys.get(row.info.root),
        parent_pk=keys.get(row.info.parent),
        tree_tokens=tokens,
        tree_usd=sum(one.cost_usd + one.reserved_usd for one in tree),
        agent_text="",
        projection={name: getattr(row.projection, name) for name in PROJECTED},
        events=[_stored_event(event) for event in row.events],
        artifacts=frozenset(row.artifacts),
    )


def _stored_event(event: Event) -> StoredEvent:
    return StoredEvent(
        seq=event.seq,
        pos=event.pos,
        type=event.type,
        v=event.payload.version,
        text=event.text,
        at=event.at,
        received_at=event.received_at,
        source=event.source,
        step=event.step,
        cause=event.cause,
        id=event.id,
        previous=event.previous,
        payload=json.loads(event.text),
    )


def _lost_or_doubled(world: World) -> Iterator[str]:
    """Promise 1: what was accepted is recorded once, or still waits, or was taken back."""
    for sent in world.store.sent:
        row = world.store.rows[sent.rollout]
        recorded = sum(event.id == sent.id for event in row.events)
        waits = any(item.id == sent.id for item in row.pending)
        if recorded + waits + (sent.id in world.store.withdrawn) != 1:
            yield f"{sent.id}, accepted for {sent.rollout}, is recorded {recorded} times"


def _repeated(world: World) -> Iterator[str]:
    """Promises 3 and 5: each request to the model is one that was recorded, and no write was made twice unasked."""
    started = (event.payload for row in world.store.rows.values() for event in row.events)
    recorded = Counter(payload.prompt_sha256 for payload in started if isinstance(payload, StepStarted))
    for sha256, count in world.model.asked.items():
        if count > recorded[sha256]:
            yield f"the request {sha256[:8]} was made {count} times and recorded {recorded[sha256]} times"
    for key in sorted(world.ledger.once):
        rollout, call_id, *_ = key.split(":")
        again = sum(
            isinstance(event.payload, ApprovalDecision)
            and event.payload.call_id == call_id
            and event.payload.verdict is Verdict.RUN_AGAIN
            for event in world.store.rows[rollout].events
        )
        if world.ledger.effects[key] > 1 + again:
            yield f"{key} was done {world.ledger.effects[key]} times, and a person wanted it {again} times again"


def _unanswered(world: World) -> Iterator[str]:
    """Each invocation has one final answer, if the agent that made it is still there."""
    for row in world.store.rows.values():
        events = [event.payload for event in row.events]
        for invoked in events:
            if not isinstance(invoked, AgentInvocation) or not invoked.child_rollout:
                continue
            child = [event.payload for event in world.store.rows[invoked.child_rollout].events]
            answers = sum(isinstance(said, AgentResponse) and said.answers == invoked.call_id for said in child)
            heard = sum(isinstance(came, AgentInput) and came.call_id == invoked.call_id for came in events)
            told = sum(
                isinstance(one, ToolResult) and one.call_id == invoked.call_id and not one.late for one in events
            )
            has_ended = bool(world.state(row.info.rollout).ended)
            if answers > 1 or heard > 1 or told > 1 or not (heard + told or has_ended):
                yield f"{row.info.rollout}: call {invoked.call_id} was answered {answers}, heard {heard}, told {told}"


def _remembered(world: World) -> Iterator[str]:
    """Each version of a memory was written with the one event that names it."""
    told: Counter[tuple[str, str, str, int, str]] = Counter()
    for row in world.store.rows.values():
        for event in row.events:
            named = getattr(event.payload, "memory", None)
            if isinstance(named, MemoryNamed) and named.wrote:
                told.update((named.owner, one.namespace, one.key, one.version, one.sha256) for one in named.entries)
    written = {
        (scope.owner, scope.namespace, key, one.version, one.sha256)
        for (scope, key), versions in world.store.versions.items()
        for one in versions
        if key != "secret"
    }
    for version in sorted(written ^ told.keys()):
        yield f"the memory {version} was {'told of and not written' if version in told else 'written and not told of'}"
    for version, count in told.items():
        if count > 1:
            yield f"the memory {version} was told of {count} times"
