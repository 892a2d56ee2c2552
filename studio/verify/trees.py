"""Sub-agents stand below one root, and the root's sums are those of its tree."""

import math
from collections.abc import Iterator, Mapping, Sequence

from studio.verify.finding import Finding
from studio.verify.stored import StoredRollout

USD_TOLERANCE = 1e-6  # the sum is moved by the difference of each append


def check_trees(rollouts: Sequence[StoredRollout]) -> Iterator[Finding]:
    """Over the rollouts of one session."""
    by_pk = {rollout.pk: rollout for rollout in rollouts}
    for rollout in rollouts:
        yield from _check_place(rollout, by_pk)
        yield from _check_dealings(rollout, by_pk)
        if rollout.root_pk is None:
            yield from _check_sums(rollout, [below for below in rollouts if rollout.pk in (below.pk, below.root_pk)])


def _check_place(rollout: StoredRollout, by_pk: Mapping[int, StoredRollout]) -> Iterator[Finding]:
    """Its row and its first event name the same parent and the same root."""
    where = f"rollout {rollout.public_id}"
    root, parent = by_pk.get(rollout.root_pk or 0), by_pk.get(rollout.parent_pk or 0)
    stored = (root.public_id if root else "", parent.public_id if parent else "")
    told = tuple(rollout.events[0].get(name, "") for name in ("root", "parent")) if rollout.events else stored
    if stored != told:
        yield Finding("tree", where, f"its row has the root and parent {stored}, but its first event says {told}")
    elif parent is not None and root is not None and root.pk not in (parent.pk, parent.root_pk):
        yield Finding("tree", where, f"its parent {parent.public_id} is not below its root {root.public_id}")


def _check_sums(root: StoredRollout, tree: Sequence[StoredRollout]) -> Iterator[Finding]:
    where = f"rollout {root.public_id}"
    tokens = sum(
        one.projection["tokens_in"] + one.projection["tokens_out"] + one.projection["reserved_tokens"] for one in tree
    )
    usd = sum(one.projection["cost_usd"] + one.projection["reserved_usd"] for one in tree)
    if root.tree_tokens != tokens:
        yield Finding("tree", where, f"its tree is shown with {root.tree_tokens} tokens, but they are {tokens}")
    elif not math.isclose(root.tree_usd, usd, abs_tol=USD_TOLERANCE):
        yield Finding("tree", where, f"its tree is shown with {root.tree_usd} USD, but they are {usd}")


def _check_dealings(rollout: StoredRollout, by_pk: Mapping[int, StoredRollout]) -> Iterator[Finding]:
    """Each sub-agent that was invoked is there with its task; what it answered has reached the agent that called it."""
    where = f"rollout {rollout.public_id}"
    by_id = {one.public_id: one for one in by_pk.values()}
    for event in rollout.events:
        if event.type == "agent.invocation" and (name := event.get("child_rollout", "")):
            child = by_id.get(name)
            if child is None or child.parent_pk != rollout.pk or child.events[0].get("parent_call") != event.call_id:
                yield Finding("tree", where, f"call {event.call_id} invokes {name}, which is not there as its child")
            elif not _has_heard_of(child, rollout):
                yield Finding("tree", where, f"call {event.call_id} invokes {name}, which was not told its task")
    parent = by_pk.get(rollout.parent_pk or 0)
    has_answered = any(event.type == "agent.response" and event.get("answers") for event in rollout.events)
    if parent is not None and has_answered and not _has_heard_of(parent, rollout):
        yield Finding("tree", where, f"its answer has not reached {parent.public_id}")


def _has_heard_of(receiver: StoredRollout, sender: StoredRollout) -> bool:
    """Whether something of the sender is recorded, may still wait, or came when it was too late."""
    has_ended = receiver.projection["lifecycle"] in ("completed", "cancelled")
    return (
        has_ended
        or receiver.pending > 0
        or any(
            event.type == "agent.input" and event.get("from_rollout") == sender.public_id for event in receiver.events
        )
    )
