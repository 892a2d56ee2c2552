"""Builders for stores: rollouts to make, arrivals to accept, and an owner that records by hand."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.events import (
    AgentOutput,
    Payload,
    RolloutStarted,
    StepCompleted,
    StepStarted,
    ToolRequest,
    ToolResult,
    ToolStarted,
    UserInput,
)
from runtime.domain.redaction import Redactor
from runtime.domain.trajectory import AGENT as AGENT_SOURCE
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, place
from runtime.engine.change import Change, project
from runtime.ports import (
    Append,
    Appended,
    Arrival,
    Claimed,
    Lost,
    NewArtifact,
    NewRollout,
    OverBudget,
    RolloutInfo,
    Store,
)

PROJECT = "p_1"
AGENT = Agent(name="tester", model="scripted")
_ids = itertools.count(1)


class HandClock:
    """A clock that goes on a millisecond a look, and further when it is moved. In microseconds."""

    def __init__(self) -> None:
        self.time = 1_700_000_000_000_000

    def now(self) -> int:
        self.time += 1000
        return self.time

    def move(self, seconds: float) -> None:
        self.time += int(seconds * 1e6)


def new_rollout(rollout: str = "r_1", session: str = "s_1", at: int = 1_700_000_000_000_000) -> NewRollout:
    started = place(Draft(RolloutStarted(agent=AGENT.name, agent_version=1)), 1, at, NO_PREDECESSOR)
    info = RolloutInfo(rollout, session, PROJECT, AGENT.name, 1, "name: tester\n")
    return NewRollout(info, started, project(fold([started]), AGENT))


def new_child(
    rollout: str = "r_c", parent: str = "r_1", root: str = "r_1", at: int = 1_700_000_000_000_000
) -> NewRollout:
    """A sub-agent of `parent` in the session s_1, to be made with an append of it."""
    ancestors = (root,) if parent == root else (root, parent)
    started = RolloutStarted(
        agent=AGENT.name, agent_version=1, root=root, parent=parent, parent_call="0.0", ancestors=ancestors
    )
    event = place(Draft(started), 1, at, NO_PREDECESSOR)
    info = RolloutInfo(rollout, "s_1", PROJECT, AGENT.name, 1, "name: tester\n", root=root, parent=parent)
    return NewRollout(info, event, project(fold([event]), AGENT))


def arrival(payload: Payload | None = None, rollout: str = "r_1", **fields: Any) -> Arrival:
    """A message, unless another payload is given."""
    fields.setdefault("id", f"e_{next(_ids)}")
    fields.setdefault("source", "u_maya")
    return Arrival(rollout=rollout, payload=payload or UserInput(content="hello"), **fields)


class Owner:
    """A worker that has claimed a rollout, and records what it is told to."""

    def __init__(self, store: Store, claimed: Claimed, clock: HandClock) -> None:
        self.store, self.claimed, self._clock = store, claimed, clock
        self.epoch, self.urgent = claimed.epoch, claimed.urgent
        self.state = fold(claimed.events)
        self.shown: dict[str, Any] = {}

    def _change(self) -> Change:
        return Change(self.state, self._clock.now(), Redactor(), AGENT, self.claimed.info.rollout)

    def change(self, *drafts: Draft | Payload) -> Append:
        """The append of new events at the end of what this owner knows. `shown` stands over its projection."""
        change = self._change()
        change.add(draft if isinstance(draft, Draft) else Draft(draft) for draft in drafts)
        return self._append(change)

    async def take(self, *, begin: int | None = None) -> Appended | Lost | OverBudget:
        """Moves the whole pending queue to the trajectory, and begins that step."""
        queue = await self.store.queue(self.claimed.info.rollout)
        change = self._change()
        change.take(queue.pending)
        if begin is not None:
            change.add([_started(change.state.seq, begin)])
        return await self._send(change, self._append(change))

    async def record(
        self,
        *drafts: Draft | Payload,
        artifacts: Sequence[NewArtifact] = (),
        children: Sequence[NewRollout] = (),
        sends: Sequence[Arrival] = (),
        within_budget: bool = False,
    ) -> Appended | Lost | OverBudget:
        change = self._change()
        change.add(draft if isinstance(draft, Draft) else Draft(draft) for draft in drafts)
        change.artifacts.extend(artifacts)
        append = replace(self._append(change), children=children, sends=sends, within_budget=within_budget)
        return await self._send(change, append)

    async def _send(self, change: Change, append: Append) -> Appended | Lost | OverBudget:
        answer = await self.store.append(append)
        if isinstance(answer, Appended):
            self.state = change.state
        return answer

    def _append(self, change: Change) -> Append:
        return Append(
            rollout=self.claimed.info.rollout,
            epoch=self.epoch,
            urgent=self.urgent,
            events=change.events,
            taken=change.taken,
            projection=replace(change.projection(), **self.shown),
            artifacts=change.artifacts,
        )


async def owned(store: Store, clock: HandClock, rollout: str = "r_1", owner: str = "worker") -> Owner:
    claimed = await store.claim(rollout, owner)
    assert claimed is not None
    return Owner(store, claimed, clock)


async def tool_turn(owner: Owner, text: str = "Please look up order 48213.") -> None:
    """A whole turn as the engine records it: a message with a key, a tool call and its result, the answer."""
    store, rollout, step = owner.store, owner.claimed.info.rollout, owner.state.next_step
    id_ = f"e_{next(_ids):022d}"
    use = {"sender": "u_3kTqabcdefghijklmnopqr", "route": f"/sessions/{rollout}/events", "key": f"key of {id_}"}
    await store.accept(arrival(UserInput(content=text, name="Maya"), rollout, id=id_, body_sha256="a" * 64, **use))
    usage = StepCompleted(tokens_in=1200, tokens_out=25, cost_usd=0.0012, ms=412, ms_to_first_token=180)
    call_id = f"{step}.0"
    await owner.take(begin=step)
    seq = owner.state.seq
    await owner.record(
        Draft(ToolRequest(call_id=call_id, tool="look_up", args={"order": "48213"}), AGENT_SOURCE, step),
        Draft(usage, step=step),
        Draft(ToolStarted(call_id=call_id), step=step, cause=seq + 1),
    )
    result = ToolResult(call_id=call_id, content="Order 48213: paid, 60 EUR, sent on Monday.", ms=12)
    await owner.record(Draft(result, step=step, cause=seq + 1), _started(seq + 4, step + 1))
    answer = AgentOutput(content="Your order 48213 is paid, and was sent on Monday.")
    await owner.record(Draft(answer, AGENT_SOURCE, step + 1), Draft(usage, step=step + 1))


def _started(seen: int, step: int) -> Draft:
    return Draft(StepStarted(model="playbook/refund", seen=seen, prompt_sha256=f"{step:064x}"), step=step)
