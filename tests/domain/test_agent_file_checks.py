"""What an author is told of conditions, states, stand-ins, approvers, agents and budgets while typing."""

import re
from pathlib import Path

import pytest

from runtime.domain.agent_file import AgentFile, read_agent_file
from runtime.domain.known import Known
from runtime.domain.problem import Severity
from runtime.domain.tool import Access, ToolSpec


def spec(tool: str, *arguments: str, required: tuple[str, ...] = ()) -> ToolSpec:
    properties = {name: {"type": "string"} for name in arguments}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(tool, f"Does {tool}.", schema, Access.WRITE)


SPECS = (
    spec("send_refund", "order", "amount"),
    spec("queue_refund", "order"),
    spec("get_order", "id", required=("id",)),
)
KNOWN = Known(
    tools={one.name: one for one in SPECS},
    tool_groups={"shop": ("send_refund", "get_order")},
    agents=("critic", "finder", "fresh"),
    descriptions={"critic": "Finds faults.", "finder": " ", "fresh": "New."},
    unpublished=("fresh",),
    models=("desk", "house"),
    has_price=lambda model: model == "desk",
    complete=True,
)


def read(extra: str) -> AgentFile:
    return read_agent_file(f"name: assistant\nmodel: desk\n{extra}", KNOWN)


def said(file: AgentFile, severity: Severity = Severity.ERROR) -> list[tuple[str, str]]:
    """What was said besides that fields do not act yet."""
    return [
        (p.path, p.message) for p in file.problems if p.severity is severity and "does not act yet" not in p.message
    ]


def machine(states: str, variables: str = "amount: {type: number}") -> str:
    return f"tools: [shop, queue_refund]\nstates:\n  initial: a\n  variables: {{{variables}}}\n{states}"


@pytest.mark.parametrize(
    ("tool", "path", "sentence"),
    [
        ("send_refund, approval: allways", "tools.0.approval", "Did you mean `always`?"),
        ("send_refund, approval: when I say so", "tools.0.approval", "Write `never` or `always` or `once`"),
        ("send_refund, approval: args.amonut > 100", "tools.0.approval", "Did you mean `args.amount`?"),
        ("send_refund, approval: args.amount >", "tools.0.approval", "cannot be read at character 14"),
        ("shop, approval: args.idd > 100", "tools.0.approval", "Did you mean `args.id`?"),
        ("send_refund, approval: vars.x > 1", "tools.0.approval", "There is no `vars.x`."),
        ("send_refund, approval: user.nmae == 'x'", "tools.0.approval", "Did you mean `user.name`?"),
        ("send_refund, fallback: queue_refudn", "tools.0.fallback", "Did you mean `queue_refund`?"),
        ("send_refund, rollback: shop", "tools.0.rollback", "is several: `send_refund`, `get_order`"),
        ("send_refund, fallback: send_refund", "tools.0.fallback", "send_refund → send_refund"),
        ("send_refund, approval: always, approvers: [Maya], approvals_needed: 2", "tools.0.approvals_needed", "only 1"),
        ("send_refund, approvals_needed: 0", "tools.0.approvals_needed", "between 1 and 10"),
    ],
)
def test_what_is_wrong_with_the_policy_of_a_tool_is_said_at_its_place(tool, path, sentence):
    file = read(f"tools: [{{name: {tool}}}]\n")

    assert [(place, sentence in message) for place, message in said(file)] == [(path, True)], file.problems


@pytest.mark.parametrize(
    "tool",
    [
        "send_refund, approval: always, approvers: [supervisors], approvals_needed: 2, self_approval: false",
        "send_refund, approval: args.amount > 100 && user.name != 'Maya'",
        "send_refund, approval: once, fallback: queue_refund, rollback: queue_refund",
        "shop, approval: args.id == 'x' || args.amount > 1",
    ],
)
def test_a_right_policy_is_not_complained_of(tool):
    file = read(f"tools: [{{name: {tool}}}]\n")

    assert said(file) == []
    assert said(file, Severity.WARNING) == []


def test_fallbacks_in_a_circle_name_the_whole_way():
    file = read("tools: [{name: send_refund, fallback: queue_refund}, {name: queue_refund, fallback: send_refund}]\n")

    ways = [message.partition(": ")[2].partition(".")[0] for _, message in said(file)]
    assert ways == ["send_refund → queue_refund → send_refund", "queue_refund → send_refund → queue_refund"]


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [
        ("send_refund, fallback: get_order", "needs `id`, so it would always fail"),
        ("send_refund, approvers: [supervisors]", "nobody is ever asked"),
        ("send_refund, approval: always, approvers: [supervisor]", "The role is called `supervisors`."),
        ("send_refund, approval: always, approvers: [administrators]", "The role is called `admins`."),
    ],
)
def test_what_is_most_likely_not_meant_is_a_warning(tool, sentence):
    assert sentence in said(read(f"tools: [{{name: {tool}}}]\n"), Severity.WARNING)[0][1]


@pytest.mark.parametrize(
    ("mode", "sentence"), [("sometimes", "is no time to ask for approval"), ("args.amount >", "cannot be read")]
)
def test_an_approval_mode_that_is_neither_a_word_nor_a_condition_is_an_error(mode, sentence):
    assert sentence in said(read(f"approval_mode: {mode}\n"))[0][1]


@pytest.mark.parametrize(
    ("transition", "sentence"),
    [
        ("guard: vars.amuont > 1", "Did you mean `vars.amount`?"),
        ("guard: vars.amount >", "cannot be read"),
        ("guard: var.amount > 1", "is a word of the language"),
        ("guard: vars.amount > 1, approval: once", "must be `never`, `always` or a condition"),
        ("approval: alwys", "Did you mean `always`?"),
        ("set: {amount: '=vars.amunt * 2'}", "Did you mean `vars.amount`?"),
        ("set: {amount: plenty}", "`amount` must be a number."),
        ("set: {amount: now}", "`now` is a time as text"),
    ],
)
def test_what_is_wrong_with_a_transition_is_said_at_its_place(transition, sentence):
    file = read(machine(f"  a: {{transitions: [{{to: b, {transition}}}]}}\n  b: {{final: true}}\n"))

    ((path, message),) = said(file)
    assert path.startswith("states.a.transitions.0.")
    assert sentence in message


def test_guards_may_use_variables_arguments_the_last_result_and_what_transitions_set():
    states = (
        "  a:\n    transitions:\n"
        '      - {to: b, guard: \'result.ok && args.reason != "" && vars.opened_at != ""\'}\n'
        "      - {to: b, set: {amount: '=vars.amount + 1', opened_at: now}}\n"
        "  b: {final: true}\n"
    )
    file = read(machine(states, "amount: {type: number}, opened_at: {type: string}"))

    assert said(file) == []
    assert said(file, Severity.WARNING) == []


@pytest.mark.parametrize(
    ("states", "path", "sentence"),
    [
        ("  a: {transitions: [{to: b, set: {amuont: 1}}]}\n  b: {final: true}\n", "states.a.transitions.0.set.amuont",
         "Did you mean `amount`?"),
        ("  a: {final: true, transitions: [{to: a}]}\n", "states.a.transitions", "which is final"),
        ("  a: {tools: [get_order, send_refund], final: true}\n", "tools.1", "No state allows the tool `queue_refund`"),
        ("  a: {transitions: [{to: b}]}\n  b: {}\n", "states.b", "Nothing leads out of the state `b`"),
        ("  a: {final: true}\n  b: {final: true}\n", "states.b", "No transition leads to the state `b`"),
    ],
)  # fmt: skip
def test_states_that_are_most_likely_not_meant_so_are_warnings(states, path, sentence):
    ((place, message),) = said(read(machine(states)), Severity.WARNING)

    assert place == path
    assert sentence in message


@pytest.mark.parametrize(
    ("states", "path", "sentence"),
    [
        ("  a: {tools: [send_refnd, queue_refund, shop], final: true}\n", "states.a.tools.0",
         "This agent has no tool `send_refnd`. Did you mean `send_refund`?"),
        ("  a: {max_stay: {after: 1h, to: bb}, transitions: [{to: b}]}\n  b: {final: true}\n", "states.a.max_stay.to",
         "There is no state `bb`."),
    ],
)  # fmt: skip
def test_names_in_a_state_that_lead_nowhere_are_errors(states, path, sentence):
    ((place, message),) = said(read(machine(states)))

    assert place == path
    assert sentence in message


def test_a_machine_without_an_initial_state_says_so():
    ((path, message),) = said(read("states:\n  a: {final: true}\n"))

    assert path == "states.initial"
    assert "is missing" in message


def test_a_group_that_some_state_allows_a_tool_of_is_allowed():
    file = read(machine("  a: {tools: [get_order, queue_refund], final: true}\n"))

    assert said(file, Severity.WARNING) == []


@pytest.mark.parametrize(
    ("variables", "severity", "sentence"),
    [
        ("amount: {type: number, default: many}", Severity.ERROR, "The default of `amount` must be a number."),
        ("order-id: {type: string}", Severity.WARNING, '`vars["order-id"]`'),
    ],
)
def test_what_is_wrong_with_a_variable_is_said(variables, severity, sentence):
    ((_, message),) = said(read(machine("  a: {final: true}\n", variables)), severity)

    assert sentence in message


@pytest.mark.parametrize(
    ("agents", "severity", "sentence"),
    [
        ("[critic, critic]", Severity.ERROR, "is listed twice"),
        ("[finder]", Severity.WARNING, "has no `description`"),
        ("[fresh]", Severity.WARNING, "has no published version yet"),
        ("[crtic]", Severity.ERROR, "Did you mean `critic`?"),
        ("[{name: critic, context: {last: 2, variables: [order]}}]", Severity.ERROR, "There is no variable `order`."),
    ],
)
def test_what_is_wrong_with_a_sub_agent_is_said(agents, severity, sentence):
    ((_, message),) = said(read(f"agents: {agents}\n"), severity)

    assert sentence in message


def test_an_agent_that_no_state_allows_is_named():
    file = read(f"agents: [critic]\n{machine('  a: {tools: [shop, queue_refund], final: true}')}\n")

    assert said(file, Severity.WARNING) == [
        ("agents.0", "No state allows the agent `critic`. Add it to a state's `tools`, or remove it.")
    ]


def test_a_budget_in_dollars_needs_models_of_known_price():
    file = read("fallback_models: [house]\nlimits: {budget: {usd: 2}}\n")

    assert [path for path, _ in said(file)] == ["fallback_models.0"]
    assert said(read("fallback_models: [house]\nlimits: {budget: {tokens: 2000}}\n")) == []
    assert said(read("limits: {budget: {usd: 2}}\n")) == []


def test_every_example_of_the_guide_may_be_published():
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "agent-files.md").read_text()
    whole, states, *_ = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)

    assert read_agent_file(whole).errors == ()
    file = read_agent_file(f"name: desk\nmodel: desk\ntools: [get_order]\nagents: [researcher]\n{states}")
    assert [str(problem) for problem in file.problems] == []
