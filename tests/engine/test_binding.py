"""An agent's text becomes an agent that can run: its tools under their policy, its states, agents and limits."""

import json

import pytest

from runtime.domain.agent import Agent
from runtime.domain.tool import ApprovalPolicy
from runtime.engine.binding import CannotBind, bind, tools_text
from runtime.tools.registry import discover

REGISTRY = discover()
HEAD = "name: desk\nmodel: playbook/echo\n"


def bound(extra: str, **more) -> Agent:
    return bind(HEAD + extra, version=1, registry=REGISTRY, root="/tmp/file/root", **more)


def test_an_agent_with_nothing_to_do_but_talk_has_no_tools():
    agent = bound("title: Desk\n")

    assert (agent.tools, agent.hidden_tools, agent.machine, agent.shown_name) == ((), (), None, "Desk")


def test_the_policy_of_a_tool_is_that_of_its_grant():
    agent = bound(
        "tools:\n"
        "  - name: write_file\n"
        "    approval: args.path != 'notes.md'\n"
        "    approvers: [supervisors]\n"
        "    approvals_needed: 2\n"
        "    self_approval: false\n"
        "    approval_expires: {after: 24h, then: escalate}\n"
        "    mode: async\n"
        "    retries: 2\n"
        "    on_interrupt: finish\n"
    )
    spec = agent.tool("write_file")

    assert spec is not None
    assert spec.approval == ApprovalPolicy("args.path != 'notes.md'", ("supervisors",), 2, False, 86_400, "escalate")
    assert (spec.runs_async, spec.retries, spec.on_interrupt) == (True, 2, "finish")


def test_a_later_grant_of_the_same_tool_is_laid_over_the_earlier():
    agent = bound("tools:\n  - files: {workspace: shop, approval: once}\n  - {name: write_file, approvers: [Maya]}\n")

    write, read = agent.tool("write_file"), agent.tool("read_file")
    assert write is not None
    assert read is not None
    assert (write.approval.when, write.approval.approvers, write.settings["workspace"]) == ("once", ("Maya",), "shop")
    assert (read.approval.when, read.approval.approvers) == ("once", ())


@pytest.mark.parametrize(
    ("mode", "gated"),
    [("ask", "always"), ("once", "once"), ("full", "never"), ("args.path == 'x'", "args.path == 'x'")],
)
def test_the_approval_mode_of_a_file_is_the_default_of_the_tools_that_write(mode, gated):
    agent = bound(f"autonomy: {mode}\ntools: [files, {{name: delete_file, approval: never}}]\n")

    policies = {spec.name: spec.approval.when for spec in agent.tools}
    assert policies["write_file"] == gated
    assert policies["delete_file"] == "never"
    assert policies["read_file"] == "never"
    assert policies["set_timer"] == "never"


def test_tools_that_stand_in_for_others_are_bound_and_not_offered():
    agent = bound(
        "tools:\n  - files: {workspace: shop}\n  - {name: http_request, fallback: http_get, rollback: delete_file}\n"
    )

    hidden = agent.any_tool("http_get")
    assert hidden is not None
    assert agent.tool("http_get") is None
    assert [spec.name for spec in agent.hidden_tools] == ["http_get"]
    assert "http_get" not in {spec["name"] for spec in json.loads(tools_text(agent))}
    assert agent.any_tool("delete_file") is agent.tool("delete_file")


def test_a_tool_that_stands_in_works_in_the_folder_of_the_one_it_serves():
    agent = bound("tools:\n  - {name: write_file, workspace: shop, rollback: delete_file}\n")

    assert agent.hidden_tools[0].settings == {"workspace": "shop", "root": "/tmp/file/root"}


def test_a_fallback_that_does_not_exist_keeps_the_agent_from_running():
    with pytest.raises(CannotBind, match="nothing_such"):
        bound("tools: [{name: clock, fallback: nothing_such}]\n")


def test_framework_calls_stand_between_the_tools_and_read_artifact():
    agent = bound("tools: [current_time]\nagents: [critic]\n", descriptions={"critic": "Finds faults."})

    names = [spec.name for spec in agent.tools]
    assert names[0] == "current_time"
    assert names[1:3] == ["invoke_critic", "message_agent"]
    assert names[-1] == "read_artifact"
    assert "Finds faults" in next(spec for spec in agent.tools if spec.name == "invoke_critic").description
    assert [grant.name for grant in agent.agents] == ["critic"]


def test_pinned_tools_keep_their_words_and_have_their_policy():
    text = "tools:\n  - {name: write_file, approval: always, mode: async}\nagents: [critic]\n"
    pinned = tools_text(bound(text, descriptions={"critic": "As it was."}))

    again = bound(text, pinned=pinned, descriptions={"critic": "As it is now."})

    write, critic = again.tool("write_file"), again.tool("invoke_critic")
    assert write is not None
    assert critic is not None
    assert (write.approval.when, write.runs_async) == ("always", True)
    assert "As it was" in critic.description
    assert critic.framework


def test_the_states_name_tools_where_the_file_names_groups():
    agent = bound("tools: [search, clock]\nstates:\n  initial: a\n  a: {tools: [search, critic], final: true}\n")

    assert agent.machine is not None
    assert agent.machine.states["a"].tools == ("find_files", "search_text", "critic")


def test_the_limits_of_the_file_are_the_agents():
    agent = bound("limits: {max_depth: 2, max_children: 3, budget: {tokens: 5000, usd: 0.5}}\n")

    limits = agent.limits
    assert (limits.max_depth, limits.max_children, limits.budget_tokens, limits.budget_usd) == (2, 3, 5000, 0.5)
