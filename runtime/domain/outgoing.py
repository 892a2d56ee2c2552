"""What an event sends to other rollouts of the session: written in the transaction of the event itself. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.events import (
    AgentInput,
    AgentInterrupt,
    AgentInterruptReceived,
    AgentInvocation,
    AgentMessage,
    AgentResponse,
    Payload,
    ResultStatus,
    ResumeReason,
    RolloutCancelled,
    RolloutCompleted,
    RolloutFailed,
    RolloutPaused,
    RolloutResumed,
    ToolResult,
)
from runtime.domain.state import State
from runtime.domain.taint import read_by
from runtime.domain.trajectory import Event


@dataclass(frozen=True, slots=True)
class Send:
    """An event for the queue of another rollout."""

    rollout: str
    payload: Payload


def outgoing(before: State, event: Event, agent: Agent, rollout: str) -> Iterator[Send]:
    """What goes out with this event. `before` is the state that it meets; `rollout` is this one's id."""
    name, hops = agent.shown_name, before.turn.hops + 1
    turn = _turn_of(before, agent)
    match event.payload:
        case AgentInvocation() as invoked:
            yield Send(invoked.child_rollout, _task(invoked, rollout, name, hops, turn))
        case AgentResponse() as response:
            yield Send(response.to_rollout, _response(response, rollout, name, hops, turn))
        case AgentMessage(to_rollout=to, content=content):
            yield Send(to, AgentInput(content=content, from_rollout=rollout, name=name, hops=hops, **turn))
        case AgentInterrupt(to_rollout=to, content=content):
            interrupt = AgentInterruptReceived(content=content, from_rollout=rollout, name=name, hops=hops, **turn)
            yield Send(to, interrupt)
        case ToolResult(status=ResultStatus.CANCELLED, call_id=call_id):
            call = before.call(call_id)
            if call is not None and call.child:
                reason = f"{name} does not wait for it any more."
                yield Send(call.child, RolloutCancelled(by=name, reason=reason, cascades=True))
        case RolloutCancelled() | RolloutCompleted() | RolloutFailed() | RolloutPaused() | RolloutResumed():
            yield from _to_children(before, event.payload, name)
            yield from _to_parent(before, event.payload, rollout, name)
        case _:
            return


def _turn_of(state: State, agent: Agent) -> dict[str, Any]:
    """Whose turn it is sent in, and what it may carry of what was read."""
    owner, read = state.ownership, read_by(state, agent)
    turn = {"owner": owner.owner, "owner_name": owner.name, "untrusted": bool(read.untrusted)}
    return turn | {"untrusted_by": read.untrusted, "private_by": read.private}


def _task(invoked: AgentInvocation, rollout: str, name: str, hops: int, turn: dict[str, Any]) -> AgentInput:
    shown = invoked.context or {}
    return AgentInput(
        content=invoked.task,
        from_rollout=rollout,
        name=name,
        context="\n".join(shown.get("lines", ())),
        vars=shown.get("vars", {}),
        memory=shown.get("memory", ()),
        namespace=shown.get("namespace", ""),
        hops=hops,
        **turn,
    )


def _response(response: AgentResponse, rollout: str, name: str, hops: int, turn: dict[str, Any]) -> AgentInput:
    return AgentInput(
        content=response.content,
        from_rollout=rollout,
        name=name,
        call_id=response.answers,
        final=response.final,
        status=response.status,
        hops=hops,
        **turn,
    )


def _to_children(before: State, payload: Payload, name: str) -> Iterator[Send]:
    """What covers the tree: an end, a pause, and its end."""
    match payload:
        case RolloutCancelled(by=by, reason=reason):
            passed: Payload = RolloutCancelled(by=by, reason=reason, cascades=True)
        case RolloutPaused(by=by, reason=reason):
            passed = RolloutPaused(by=by, reason=reason, cascades=True)
        case RolloutResumed(reason=ResumeReason.RESUME, by=by):
            passed = RolloutResumed(by=by)
        case RolloutCompleted(by=by, reason=reason):
            passed = RolloutCompleted(by=by or name, reason=reason)
        case _:
            return
    for child in before.dealings.children:
        yield Send(child.rollout, passed)


def _to_parent(before: State, payload: Payload, rollout: str, name: str) -> Iterator[Send]:
    """An agent that ends without an answer is a result, never silence."""
    started = before.started
    if started is None or not started.parent or before.dealings.has_responded:
        return
    match payload:
        case RolloutFailed(error=error):
            status, words = ResultStatus.ERROR, f"The agent {name} could not go on: {error}"
        case RolloutCancelled(cascades=False, by=by):
            status, words = ResultStatus.CANCELLED, f"{by or 'A person'} cancelled the agent {name}."
        case _:
            return
    yield Send(
        started.parent,
        AgentInput(
            content=words,
            from_rollout=rollout,
            name=name,
            call_id=started.parent_call,
            final=True,
            status=status,
            hops=before.turn.hops + 1,
        ),
    )
