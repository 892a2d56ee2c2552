"""What all agents of a session may read stands in the tail of every prompt, and behind `{{ shared.NAME }}`."""

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.context import render
from runtime.domain.events import RolloutStarted, UserInput
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, place

SHARED = {"order_id": "48213"}


def tail_of(agent: Agent, shared: dict[str, str]) -> str:
    payloads = [RolloutStarted(agent="desk", agent_version=1, shared=shared), UserInput(content="Hello")]
    state = fold(place(Draft(payload), seq, 1, NO_PREDECESSOR) for seq, payload in enumerate(payloads, 1))
    return str(render(state, agent, model="m", withhold=False).messages[-1]["content"])


def test_shared_values_stand_in_the_tail():
    assert tail_of(Agent(name="desk"), SHARED) == 'Known to all agents of this session: {"order_id":"48213"}'


def test_a_template_may_name_a_shared_value():
    agent = Agent(name="desk", user_prompt_template="Order {{ shared.order_id }}.")

    assert tail_of(agent, SHARED).startswith("Order 48213.")
    assert tail_of(agent, {}) == "Order ."


def test_nothing_shared_leaves_no_tail():
    assert "Hello" in tail_of(Agent(name="desk"), {})
