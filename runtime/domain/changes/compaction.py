"""How the history grows, and how its oldest turns become a summary. Pure."""

from runtime.domain.events import AgentThought, ContextCompacted
from runtime.domain.node_tokens import node_tokens
from runtime.domain.state import Node, State, Step, Summary
from runtime.domain.trajectory import Chain, Event


def grown(state: State, node: Node) -> State:
    """The state with one more node in its history."""
    return state._replace(
        history=state.history.plus(node),
        history_tokens=state.history_tokens + node_tokens(node),
    )


def compacted(state: State, event: Event, compaction: ContextCompacted) -> State:
    """The summary stands in the place of the turns that it is about; without one nothing is replaced."""
    written = next((event for event in state.reply if event.seq == compaction.summary_seq), None)
    if written is None or not isinstance(written.payload, AgentThought):
        return state
    history: Chain[Node] = Chain()
    after = state._replace(history=history, history_tokens=0, compactions=state.compactions + 1)
    after = grown(after, Summary(written.payload.content, compaction.to_seq))
    for node in state.history:
        if node.until > compaction.to_seq:
            after = grown(after, node)
    return after._replace(reply=(*state.reply, event))


def attempted(state: State, step: Step) -> State:
    """A step has ended that was to make the history shorter; it is in vain if it left no summary."""
    return state._replace(
        step=None,
        next_step=step.number + 1,
        reply=(),
        calling=(),
        failures=(),
        compacted_at=state.history_tokens,
        is_incompressible=not any(isinstance(event.payload, ContextCompacted) for event in state.reply),
    )
