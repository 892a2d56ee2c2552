"""Which of the framework's calls an agent is offered, and in which words."""

import pytest
from jsonschema import Draft202012Validator

from runtime.domain.agent import is_framework_call
from runtime.domain.agent_file import read_agent_file
from runtime.domain.framework import framework_specs
from runtime.domain.tool import ToolSpec

STATES = """states:
  initial: a
  variables: {n: {type: integer, description: How many}, names: {type: array}}
  a: {transitions: [{to: b}]}
  b: {final: true}
"""
ALWAYS = ["send_message", "set_timer", "cancel_timer", "escalate", "note", "pause"]


def specs(extra: str, descriptions: dict[str, str] | None = None) -> dict[str, ToolSpec]:
    definition = read_agent_file(f"name: desk\nmodel: playbook/echo\n{extra}").definition
    assert definition is not None
    return {spec.name: spec for spec in framework_specs(definition, descriptions or {})}


def test_an_agent_without_tools_agents_and_states_gets_none():
    assert specs("system_prompt: Hello.\n") == {}


def test_an_agent_with_a_tool_gets_those_that_need_nothing_else():
    assert list(specs("tools: [clock]\n")) == ALWAYS


def test_states_bring_the_move_with_its_states_and_variables():
    schema = specs(STATES)["update_rollout_state"].schema

    assert schema["properties"]["to"]["enum"] == ["a", "b"]
    assert schema["properties"]["set"]["properties"] == {
        "n": {"type": "integer", "description": "How many"},
        "names": {"type": "array", "items": {}},
    }


def test_sub_agents_bring_their_invocation_and_ways_to_reach_them():
    found = specs("agents: [parts-finder, {name: critic, mode: background}]\n", {"parts-finder": "Finds parts.\n"})

    assert list(found)[:4] == ["invoke_parts_finder", "invoke_critic", "message_agent", "interrupt_agent"]
    assert found["invoke_parts_finder"].description == (
        "Give a task to the agent parts-finder: Finds parts. You get its answer as the result."
    )
    assert found["invoke_critic"].description.startswith("Give a task to the agent critic. It works while you go on")
    assert (found["invoke_parts_finder"].runs_async, found["invoke_critic"].runs_async) == (False, True)


@pytest.mark.parametrize(
    ("extra", "offered"),
    [
        ("tools: [{name: clock, mode: async}]\n", True),
        ("agents: [{name: critic, mode: background}]\n", True),
        ("agents: [critic]\ntools: [clock]\n", False),
    ],
)
def test_a_call_can_be_cancelled_where_calls_go_on_by_themselves(extra, offered):
    assert ("cancel_call" in specs(extra)) is offered


def test_every_spec_is_a_framework_call_with_a_valid_schema():
    found = specs(f"{STATES}agents: [{{name: critic, mode: background}}]\n")

    for name, spec in found.items():
        assert spec.framework
        assert is_framework_call(name)
        Draft202012Validator.check_schema(dict(spec.schema))
        assert spec.schema["additionalProperties"] is False
        assert 20 < len(spec.description) < 320
