"""The rollouts of the agents that a change invokes."""

from collections.abc import Sequence

from runtime.domain.events import AgentInvocation, RolloutStarted
from runtime.domain.facts import Facts
from runtime.engine.budget import has_budget
from runtime.engine.change import Change
from runtime.engine.shell import Shell
from runtime.ports import NewRollout, RolloutInfo


async def new_children(shell: Shell, parent: RolloutInfo, change: Change, facts: Facts) -> Sequence[NewRollout]:
    """To be made in the transaction of the change; their tasks are among its `sends`."""
    invoked = [event.payload for event in change.events if isinstance(event.payload, AgentInvocation)]
    return [
        await shell.new_child(parent, one.child_rollout, _start(parent, change, one), facts.agents[one.agent].text)
        for one in invoked
    ]


def _start(parent: RolloutInfo, change: Change, invoked: AgentInvocation) -> RolloutStarted:
    started = change.state.started
    assert started is not None, "what invokes has begun"
    return RolloutStarted(
        agent=invoked.agent,
        agent_version=invoked.agent_version,
        by=change.agent.shown_name,
        root=started.root or parent.rollout,
        parent=parent.rollout,
        parent_call=invoked.call_id,
        ancestors=(*started.ancestors, change.agent.name),
        reserves=has_budget(change.state, change.agent),
    )
