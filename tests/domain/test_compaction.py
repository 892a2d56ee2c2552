"""Every window and every cut of random trajectories renders to a valid history; token counts need no network."""

import asyncio
import random
from dataclasses import replace

import pytest

from runtime.domain.agent import Agent, Window
from runtime.domain.apply import fold
from runtime.domain.compaction import due
from runtime.domain.context import History, render, request_sha256
from runtime.domain.events import AgentThought, ContextCompacted, StepCompleted, StepStarted, ThoughtKind
from runtime.domain.node_tokens import node_tokens
from runtime.domain.state import State, Summary
from runtime.domain.tokens import tokens_of
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, place
from runtime.providers.wire import wire_messages
from tests.domain.test_fold import problem_of, random_trajectory
from tests.providers.history_rules import mistral_faults, openai_faults

TRAJECTORIES = 1_000


@pytest.fixture(scope="module")
def trajectories():
    """Some that the actor made, the rest prefixes of them: each another trajectory."""
    chance = random.Random(7)
    made = [asyncio.run(random_trajectory(seed))[:2] for seed in range(100, 180)]
    cuts = []
    while len(cuts) < TRAJECTORIES:
        events, agent = chance.choice(made)
        cuts.append((events[: chance.randrange(2, len(events) + 1)], agent))
    return cuts


def compact(state: State, to_seq: int) -> State:
    """The state after a step that summarised what is up to that seq."""
    number = state.step.number if state.step is not None else state.next_step
    started = StepStarted(model="m", seen=state.seq, prompt_sha256="", withheld=True, compacts_to=to_seq)
    thought = AgentThought(content="What was said before.", kind=ThoughtKind.SUMMARY)
    done = ContextCompacted(from_seq=2, to_seq=to_seq, summary_seq=state.seq + 2)
    for payload in (started, thought, done, StepCompleted()):
        event = place(Draft(payload, step=number), state.seq + 1, state.at, NO_PREDECESSOR)
        state = fold([event], state)
    return state


def narrow(agent: Agent, tokens: int, keep_turns: int) -> Agent:
    return replace(agent, window=Window(tokens=tokens, compact_at=0.5, keep_turns=keep_turns))


def faults(state: State, agent: Agent) -> list[str]:
    messages = render(state, agent, model="m", withhold=False).messages
    problem = problem_of(messages)
    return ([problem] if problem else []) + openai_faults(wire_messages(messages, "openai/x"))


def is_open(state: State) -> bool:
    return state.is_speaking or any(call.is_open and not call.is_async for call in state.batch)


def test_every_window_and_compaction_cut_of_1000_random_trajectories_renders_to_a_valid_history(trajectories):
    compactions = 0
    for events, agent in trajectories:
        state = fold(events)
        if is_open(state):
            continue
        for keep_turns in (0, 1, 4):
            cut = due(state, narrow(agent, 1, keep_turns)) or due(state, narrow(agent, 60, keep_turns))
            if not cut:
                continue
            compactions += 1
            task = render(state, agent, model="m", withhold=True, compacts_to=cut)
            assert problem_of(task.messages) == ""
            after = compact(state, cut)
            assert faults(after, agent) == []
            wired = wire_messages(render(after, agent, model="m", withhold=False).messages, "mistral/x")
            assert mistral_faults(wired) == []
            assert after.history_tokens == sum(map(node_tokens, after.history))
            assert isinstance(next(iter(after.history)), Summary)

    assert compactions > 300


def test_a_history_grown_over_a_compaction_is_the_one_made_at_once(trajectories):
    for events, agent in trajectories[:200]:
        state = fold(events)
        cut = 0 if is_open(state) else due(state, narrow(agent, 60, 1))
        if cut:
            history = History(agent).grown(state)
            after = compact(state, cut)
            grown = history.grown(after).prompt(after, model="m", withhold=False)
            assert grown.sha256 == request_sha256(grown)
            assert grown.sha256 == render(after, agent, model="m", withhold=False).sha256


def test_what_is_not_answered_yet_is_never_summarised(trajectories):
    for events, agent in trajectories:
        state = fold(events)
        cut = 0 if is_open(state) else due(state, narrow(agent, 60, 0))
        if cut and state.owes_answer:
            shown = "\n".join(
                str(message.get("content"))
                for message in render(compact(state, cut), agent, model="m", withhold=False).messages
            )
            newest = next(event for event in events if event.seq == state.waking)
            assert getattr(newest.payload, "content", "")[:20].replace("<", "&lt;") in shown.replace("<", "&lt;")


@pytest.mark.parametrize(
    ("text", "real"),
    [
        ("The quick brown fox jumps over the lazy dog. ", 201),
        ('{"order_id": "48213", "amount": 189.0, "currency": "EUR"}', 440),
        ("def tokens_of(text: str) -> int:\n    return len(text)\n", 300),
        ("Съешь же ещё этих мягких французских булок. ", 581),
        ("今天天气很好，我们去公园散步吧。", 400),
        ("👋🙂🎉", 160),
    ],
    ids=["prose", "json", "code", "russian", "chinese", "emoji"],
)
def test_tokens_are_counted_without_a_network_to_within_a_quarter(text, real):
    """`real`: what cl100k_base makes of twenty of them."""
    assert 0.75 * real <= tokens_of(text * 20) <= 1.25 * real
