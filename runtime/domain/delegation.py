"""How agents call, tell and interrupt one another. Source: runtime.md, 9. Pure."""

from collections.abc import Iterator
from typing import Any

from runtime.domain.agent import INVOKE, Agent
from runtime.domain.definition import AgentContext
from runtime.domain.events import (
    AgentInterrupt,
    AgentInvocation,
    AgentMessage,
    AgentOutput,
    AgentResponse,
    CallMode,
    ResultStatus,
    ToolRequest,
    UserInput,
)
from runtime.domain.facts import Peer
from runtime.domain.judging import Judged, Judging, refused
from runtime.domain.memory import namespace_of
from runtime.domain.state import Node, State, Summary
from runtime.domain.trajectory import Event

MAX_HOPS = 24
"""How many messages may go from agent to agent before a person must speak: nothing is handed to and fro for ever."""

_SUMMARY_TURNS = 2


def invoke(request: ToolRequest, judging: Judging) -> Judged:
    """`invoke_NAME`: another agent begins to work on the task, in a rollout of its own."""
    grant = judging.agent.sub_agent(request.tool)
    name = grant.name if grant else request.tool.removeprefix(INVOKE)
    published = judging.facts.agents.get(name)
    problem = _problem(judging, name)
    if grant is None or published is None:
        problem = problem or f"the agent {name} is not published here, so it cannot be called."
    if problem or grant is None or published is None:
        return refused(request, problem, ResultStatus.LIMIT if "may" in problem else ResultStatus.ERROR)
    judging.invoked += 1
    is_background = grant.mode == "background"
    invocation = AgentInvocation(
        call_id=request.call_id,
        tool=request.tool,
        args=request.args,
        agent=name,
        agent_version=published.version,
        task=str((request.args or {}).get("task") or ""),
        context=granted_context(judging.state, judging.agent, grant.context),
        child_rollout=judging.new_rollout(),
        mode=CallMode.ASYNC if is_background else CallMode.SYNC,
    )
    return Judged(invocation)


def _problem(judging: Judging, name: str) -> str:
    started, limits = judging.state.started, judging.limits
    assert started is not None
    depth = len(started.ancestors)
    if depth + 1 > limits.max_depth:
        return f"agents may call one another {limits.max_depth} deep, and this one is at the end. Do it yourself."
    if judging.state.turn.hops >= MAX_HOPS:
        return f"agents may hand work on {MAX_HOPS} times before a person speaks. Answer with what you have."
    living = sum(bool(call.child) for call in judging.state.open_calls) + judging.invoked
    if living >= limits.max_children:
        return f"{limits.max_children} agents may work for you at once, and they do. Wait for one of them."
    return ""


def message(request: ToolRequest, judging: Judging) -> Judged:
    """`message_agent`: words to an agent below, or to the one that called."""
    return _to_agent(request, judging, AgentMessage, [*_below(judging), *_caller(judging)], "Sent to {name}.")


def interrupt(request: ToolRequest, judging: Judging) -> Judged:
    """`interrupt_agent`: down the tree, and to the peers that the workflow lists."""
    peers = [peer for peer in judging.facts.peers if peer.may_interrupt]
    return _to_agent(request, judging, AgentInterrupt, [*_below(judging), *peers], "{name} is interrupted.")


def respond(request: ToolRequest, judging: Judging) -> Judged:
    """An interim word to the agent that called; the final one is the plain text at the end."""
    started = judging.state.started
    if started is None or not started.parent:
        return refused(request, "no agent called you. Name a person, or answer in plain text.")
    response = AgentResponse(
        call_id=request.call_id,
        tool=request.tool,
        args=request.args,
        result="Sent to the agent that called you. Go on.",
        to_rollout=started.parent,
        content=str((request.args or {}).get("content") or ""),
        final=False,
    )
    return Judged(response)


def _to_agent(
    request: ToolRequest,
    judging: Judging,
    kind: type[AgentMessage] | type[AgentInterrupt],
    reachable: list[Peer],
    words: str,
) -> Judged:
    args = request.args or {}
    to = str(args.get("to") or "").removeprefix("@")
    named = [peer for peer in reachable if to in (peer.rollout, peer.agent)]
    if judging.state.turn.hops >= MAX_HOPS:
        sentence = f"agents may hand work on {MAX_HOPS} times before a person speaks. Answer with what you have."
        return refused(request, sentence, ResultStatus.LIMIT)
    if not named:
        names = ", ".join(dict.fromkeys(peer.agent for peer in reachable)) or "nobody"
        return refused(request, f"there is no agent {to[:60]} that you can reach. You can reach: {names}.")
    target = named[-1]
    sent: Any = {"call_id": request.call_id, "tool": request.tool, "args": request.args}
    sent |= {"result": words.format(name=target.agent), "to_rollout": target.rollout}
    return Judged(kind(**sent, content=str(args.get("content") or "")))


def _below(judging: Judging) -> Iterator[Peer]:
    """The living agents that this one called, and those that they called."""
    mine = {judging.rollout}
    waiting = list(judging.facts.peers)
    found = True
    while found:
        found = False
        for peer in list(waiting):
            if peer.parent in mine:
                waiting.remove(peer)
                mine.add(peer.rollout)
                found = True
                yield peer


def _caller(judging: Judging) -> Iterator[Peer]:
    started = judging.state.started
    for peer in judging.facts.peers:
        if started is not None and peer.rollout == started.parent:
            yield peer


def granted_context(state: State, agent: Agent, policy: AgentContext) -> dict[str, Any] | None:
    """What a sub-agent is shown of the conversation besides its task: words, variables by name, and keys of the memory.

    An agent that has no memory has none to share.
    """
    known = state.dealings.business.vars
    shown = {name: known[name] for name in policy.variables if name in known}
    lines = _lines(state, policy)
    context: dict[str, Any] = {"lines": lines, "vars": shown} if lines or shown else {}
    if policy.memory and agent.memory is not None:
        context |= {"memory": list(policy.memory), "namespace": namespace_of(agent.memory, agent.name)}
    return context or None


def _lines(state: State, policy: AgentContext) -> list[str]:
    match policy.kind:
        case "none":
            return []
        case "last":
            most = policy.last or 1
        case "summary":
            most = 2 * _SUMMARY_TURNS
        case "full":
            most = 0
    found: list[str] = []
    for event in _said_backwards(state):
        found.append(_line(event))
        if len(found) == most:
            break
    return found[::-1]


def _said_backwards(state: State) -> Iterator[Event]:
    """What people and the agent said, newest first."""
    nodes: list[Node] = [state.next_shown, *state.history.backwards()]
    for node in nodes:
        for event in reversed(() if isinstance(node, Summary) else node.events):
            is_said = isinstance(event.payload, UserInput | AgentOutput)
            if is_said and not getattr(event.payload, "call_id", ""):
                yield event


def _line(event: Event) -> str:
    match event.payload:
        case UserInput(name=name, content=content):
            return f"{name or 'A person'}: {content}"
        case AgentOutput(content=content):
            return f"Agent: {content}"
        case _:
            return ""
