"""When the oldest turns are to be summarised, and how far. Source: runtime.md, 8. Pure.

The history is cut only where a turn begins, so that a call and its result are never parted.
"""

from collections.abc import Sequence
from itertools import accumulate

from runtime.domain.agent import Agent
from runtime.domain.events import AgentThought, ContextCompacted, StepCompleted, ThoughtKind
from runtime.domain.node_tokens import node_tokens
from runtime.domain.reply import Reply
from runtime.domain.state import Node, Shown, State, Summary
from runtime.domain.tokens import tokens_of
from runtime.domain.trajectory import AGENT, Draft

TOO_LONG = "context_too_long"
"""The kind of a failure by which a provider says that it was given too much."""

_GROWTH = (
    10  # another attempt after a tenth of the window more, so that a summary that is no help is not asked for anew
)


def prompt_tokens(state: State, agent: Agent) -> int:
    """An estimate of the next request, apart from its tail."""
    return agent.window.fixed_tokens + state.history_tokens + node_tokens(state.next_shown)


def due(state: State, agent: Agent) -> int:
    """The seq up to which the turns are to be summarised before the next step; 0 = no need, or no way."""
    step = state.step
    if step is not None and step.compacts_to:  # an attempt of it has failed: it is made again
        return step.compacts_to
    if not _is_near(state, agent):
        return 0
    return _cut(state, agent)


def overflow(state: State, agent: Agent) -> str:
    """Why the next request is not made; empty if it fits, as far as is known."""
    most = agent.window.tokens
    if not most or (size := prompt_tokens(state, agent)) <= most:
        return ""
    return (
        f"This conversation does not fit into what the model can read: it takes about {size:,} tokens, and {most:,} "
        "are there. The oldest turns cannot be summarised any further. Start a new session with a shorter message, or "
        "raise `context.max_tokens` if the model can read more."
    )


def _is_near(state: State, agent: Agent) -> bool:
    has_grown = state.history_tokens > state.compacted_at
    if state.is_incompressible and not has_grown:
        return False
    if state.failures and state.failures[-1].kind == TOO_LONG:
        return True
    window = agent.window
    if not window.tokens or (size := prompt_tokens(state, agent)) < window.tokens * window.compact_at:
        return False
    return size > window.tokens or state.history_tokens >= state.compacted_at + window.tokens // _GROWTH


def _cut(state: State, agent: Agent) -> int:
    """Where the part that stays begins: as many of the newest turns as are to be kept and leave room for more."""
    nodes = list(state.history)
    beginnings = _beginnings(state, nodes)
    if not beginnings:
        return 0
    window, sums = agent.window, [0, *accumulate(map(node_tokens, nodes))]
    most = window.tokens or sums[-1]
    room = max(0, int(most * window.compact_at) - window.fixed_tokens) // 2
    kept = min(window.keep_turns, len(beginnings) - 1)
    while kept and sums[-1] - sums[beginnings[-1 - kept]] > room:
        kept -= 1
    readable = most - window.fixed_tokens if window.tokens else most
    fitting = [place for place in beginnings[: len(beginnings) - kept] if sums[place] <= readable]
    return nodes[fitting[-1] - 1].until if fitting else 0


def _beginnings(state: State, nodes: Sequence[Node]) -> list[int]:
    """The places in the history before which everything is settled; the last is where the turn in hand begins."""
    first = 1 if nodes and isinstance(nodes[0], Summary) else 0
    places = [
        place for place, node in enumerate(nodes) if place > first and isinstance(node, Shown) and node.opens_turn
    ]
    is_new = state.step is None and state.next_shown.opens_turn and len(nodes) > first
    if is_new and not isinstance(nodes[-1], Shown):
        places.append(len(nodes))
    return places


def summarised(reply: Reply, completed: StepCompleted, state: State) -> list[Draft]:
    """The one transaction of a step that summarises; without a summary that is shorter, nothing is replaced."""
    step = state.step
    assert step is not None
    text = reply.text.strip()
    end = Draft(completed if text else completed.model_copy(update={"finish_reason": "empty"}), step=step.number)
    if not text:
        return [end]
    drafts = [Draft(AgentThought(content=text, kind=ThoughtKind.SUMMARY), AGENT, step.number)]
    replaced = [node for node in state.history if node.until <= step.compacts_to]
    if tokens_of(text) < sum(map(node_tokens, replaced)):
        compaction = ContextCompacted(from_seq=2, to_seq=step.compacts_to, summary_seq=state.seq + 1)
        drafts.append(Draft(compaction, step=step.number))
    return [*drafts, end]
