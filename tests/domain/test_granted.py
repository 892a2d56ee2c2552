"""What an agent file lets its agent do, in sentences for the person who publishes it."""

import pytest

from runtime.domain.agent_file import read_agent_file

HEAD = "name: assistant\nmodel: openai/gpt-4.1-mini\n"
OWN = "May set timers, write to people in its session, and ask supervisors."


def granted(extra: str) -> tuple[str, ...]:
    return read_agent_file(HEAD + extra).granted


def test_an_agent_that_only_talks_is_said_to_use_no_tools():
    assert granted("title: Talker\n") == ("May use no tools.",)


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ("approval: always", "Asks a person before `pay`."),
        ("approval: once", "Asks a person before `pay`, once a session."),
        ("approval: args.amount > 100", "Asks a person before `pay` if `args.amount > 100`."),
        ("approval: always, approvers: [supervisors]", "Asks supervisors before `pay`."),
        (
            "approval: always, approvers: [supervisors, Maya], approvals_needed: 2, self_approval: false",
            "Asks 2 of supervisors or Maya before `pay`, never the one who led to it.",
        ),
        ("approval: always, approvals_needed: 2", "Asks 2 people before `pay`."),
        ("fallback: queue", "Uses `queue` where `pay` fails."),
        ("rollback: refund", "Undoes `pay` by `refund` when its work is cancelled."),
    ],
)
def test_what_guards_a_tool_is_said(policy, sentence):
    assert granted(f"tools: [{{name: pay, {policy}}}]\n") == ("May use `pay`.", OWN, sentence)


def test_the_default_for_tools_that_write_is_said_with_its_exceptions():
    sentences = granted("autonomy: ask\ntools: [{name: pay, approval: never}]\n")

    assert sentences[2:] == (
        "Asks a person before a tool that writes, unless the tool has a rule of its own.",
        "Asks nobody before `pay`.",
    )


def test_agents_moves_and_the_budget_are_said():
    sentences = granted(
        "agents: [critic, finder]\n"
        "limits: {budget: {tokens: 200000, usd: 1.5}, max_depth: 2}\n"
        "states: {initial: a, a: {transitions: [{to: b, approval: always}]}, b: {final: true}}\n"
    )

    assert sentences == (
        "May call the agents `critic`, `finder`, at most 8 at once, 2 deep.",
        OWN,
        "Asks a person before it moves from `a` to `b`.",
        "May use at most 200,000 tokens and US$1.50, with the agents that it calls.",
    )
