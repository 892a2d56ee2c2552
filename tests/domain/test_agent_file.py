"""An agent file says what it means, what it grants and what is wrong with it, at the right place."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.domain.agent_file import AgentFile, decode_agent_file, read_agent_file
from runtime.domain.definition import Definition, OnStop
from runtime.domain.known import Known
from runtime.domain.problem import Problem, Severity
from runtime.domain.tool import Access, ToolSpec
from runtime.tools.arguments import schema_problem
from tests.fixtures import AGENTS, FIXTURES

SMALLEST = "name: assistant\nmodel: openai/gpt-4.1-mini\n"


def read(extra: str = "", known: Known | None = None) -> AgentFile:
    return read_agent_file(SMALLEST + extra, known)


def only_error(file: AgentFile) -> Problem:
    assert len(file.errors) == 1, file.problems
    return file.errors[0]


def test_the_smallest_file_has_every_default():
    file = read()

    assert file.is_publishable
    assert file.problems == ()
    assert file.definition == Definition(name="assistant", model="openai/gpt-4.1-mini")
    limits = file.definition.limits
    assert (limits.max_steps, limits.max_tool_calls, limits.max_concurrent_tools) == (25, 10, 4)
    assert (limits.max_depth, limits.max_children) == (4, 8)
    assert file.definition.interrupts.on_stop is OnStop.RESPOND
    assert file.definition.shown_name == "assistant"


def test_a_definition_that_is_dumped_and_loaded_is_the_same():
    definition = read("tools:\n  - http_get\n  - {name: clock, timeout: 2m, retries: 1}\ntags: [a, b]\n").definition

    assert definition is not None
    assert Definition.model_validate(definition.model_dump(mode="json")) == definition


def test_the_three_forms_of_a_tool_are_read():
    definition = read(
        "tools:\n  - clock\n  - files: {workspace: desk, timeout: 30s}\n"
        "  - name: http_get\n    retries: 2\n    idempotent: true\n"
    ).definition

    assert definition is not None
    clock, files, http_get = definition.tools
    assert clock.name == "clock"
    assert (files.name, files.settings, files.timeout_seconds) == ("files", {"workspace": "desk"}, 30.0)
    assert (http_get.retries, http_get.idempotent) == (2, True)


@pytest.mark.parametrize(
    ("flux", "read_as"),
    [
        ("max_tool_calls: 3", lambda d: d.limits.max_tool_calls == 3),
        ("max_concurrent_tools: 2", lambda d: d.limits.max_concurrent_tools == 2),
        ("max_tokens: 100", lambda d: d.model_settings.max_tokens == 100),
        ("reasoning_effort: low", lambda d: d.model_settings.reasoning_effort == "low"),
        ("planning: true\nmax_plan_steps: 7", lambda d: d.planning.enabled and d.planning.max_steps == 7),
        ("skills_dir: skills", lambda d: d.skills == ("skills",)),
        ("long_term_memory: {provider: sqlite}", lambda d: d.memory.namespace == "agent"),
        ("stream: false", lambda d: d.stream is False),
    ],
)
def test_a_flux_name_is_read_as_the_field_that_means_the_same(flux, read_as):
    definition = read(flux + "\n").definition

    assert definition is not None
    assert read_as(definition)


def test_the_same_limit_under_two_names_is_an_error():
    file = read("max_tool_calls: 3\nlimits:\n  max_tool_calls: 4\n")

    assert "say the same" in only_error(file).message


@pytest.mark.parametrize(
    ("name", "publishable"),
    [
        ("flux-assistant.yaml", True),
        ("flux-coder.yaml", True),
        ("flux-delegation.yaml", True),
        ("flux-ollama-local.yaml", True),
        ("flux-researcher.yaml", True),
    ],
)
def test_every_flux_file_loads_and_says_what_it_grants(name, publishable):
    text = decode_agent_file((AGENTS / name).read_bytes())
    assert isinstance(text, str)

    file = read_agent_file(text)

    assert file.definition is not None
    assert file.granted
    assert file.is_publishable is publishable


def test_the_example_with_everything_in_it_loads_and_names_each_guard_that_does_not_act_yet():
    example = (FIXTURES / "everything.yaml").read_text()

    file = read_agent_file(example.replace("{…}", "{type: object}"))

    assert file.is_loadable
    assert {problem.path.rpartition(".")[2] for problem in file.errors} == {"dream"}
    assert all("does not act yet" in problem.message for problem in file.errors)


def test_the_flux_coder_gets_its_file_tools_and_is_told_about_its_shell():
    file = read_agent_file((AGENTS / "flux-coder.yaml").read_text())

    assert file.definition is not None
    assert [(grant.name, grant.settings) for grant in file.definition.tools] == [
        ("files", {"workspace": ".", "max_output_chars": 200_000}),
        ("search", {"workspace": ".", "max_output_chars": 200_000}),
    ]
    assert all(grant.timeout_seconds == 60 for grant in file.definition.tools)
    assert file.definition.model_settings.max_tokens == 8192
    assert any("shell is not granted" in problem.message for problem in file.problems)


def test_the_flux_researcher_grants_a_plan_that_needs_leave():
    file = read_agent_file((AGENTS / "flux-researcher.yaml").read_text())

    assert "May keep a plan; new or changed steps need a person's leave." in file.granted


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ("output_schema: {type: nothing}\n", "`output_schema` is no JSON Schema: type"),
        ("input_schema: {properties: 3}\n", "`input_schema` is no JSON Schema: properties"),
        ("input_schema: {type: array}\n", "must be `object`"),
    ],
)
def test_a_schema_that_is_none_is_an_error(schema, word):
    assert word in only_error(read(schema, Known(schema_problem=schema_problem))).message


def test_skills_are_known_by_their_last_word_and_named_once():
    known = Known(skills=["refunds"], tools={}, playbooks=[], complete=True)
    file = read_agent_file("name: a\nmodel: openai/x\nskills: [skills/refunds, refund, skills/refunds]\n", known)

    assert [problem.message for problem in file.errors] == [
        "There is no skill `refund`. Did you mean `refunds`?",
        "The skill `refunds` is named twice. Remove one of them.",
    ]


def test_agents_that_do_not_exist_are_named_when_all_agents_are_known():
    file = read_agent_file((AGENTS / "flux-delegation.yaml").read_text(), Known(agents=["assistent"], complete=True))

    assert [problem.path for problem in file.errors] == ["agents.0", "agents.1"]
    assert "Did you mean `assistent`?" in file.errors[0].message


@pytest.mark.parametrize(
    "guard",
    [
        "memory: {dream: {after: session}}\n",
        "hooks: {before: check.py}\n",
    ],
)
def test_a_field_that_guards_and_does_not_act_yet_keeps_a_draft_from_being_published(guard):
    file = read(guard)

    assert file.is_loadable
    assert not file.is_publishable
    only_error(file)


@pytest.mark.parametrize(
    "kept",
    ['mcp_servers: [{name: x, url: "https://x.example"}]\n'],
)
def test_a_field_that_does_not_guard_and_does_not_act_yet_is_a_hint(kept):
    file = read(kept)

    assert file.is_publishable
    assert [problem.severity for problem in file.problems] == [Severity.HINT]


def test_a_guard_that_guards_nothing_may_be_published():
    assert read("planning: {enabled: false, approval: false}\n").problems == ()


@pytest.mark.parametrize(
    "acting",
    [
        "tools:\n  - {name: http_get, approval: always, approvers: [supervisors], approvals_needed: 2}\n",
        "tools:\n  - {name: http_get, rollback: undo, fallback: clock, on_interrupt: finish, mode: async}\n",
        "autonomy: ask\ntools: [files]\n",
        "agents: [helper]\nlimits: {budget: {tokens: 5}, max_depth: 2, max_children: 1}\n",
        "states: {initial: a, a: {max_stay: {after: 1h, to: b}, transitions: [{to: b}]}, b: {final: true}}\n",
        "triggers:\n  - webhook: {name: orders, secret: HOOK}\n  - schedule: {cron: '0 9 * * 1-5'}\n",
        "triggers:\n  - folder: {path: inbox}\n  - feed: {url: https://news.example/rss, every: 15m}\n",
    ],
)
def test_a_field_that_acts_is_nothing_to_speak_of(acting):
    assert read(acting).problems == ()


def test_a_misspelt_key_has_a_fix_that_mends_the_text():
    text = SMALLEST + "sytem_prompt: Hello.\n"
    fix = only_error(read_agent_file(text)).fix

    assert fix is not None
    mended = text[: fix.start] + fix.text + text[fix.end :]
    assert read_agent_file(mended).problems == ()


def test_a_number_where_text_is_wanted_has_a_fix_that_quotes_it():
    text = SMALLEST + "title: 2024\n"
    fix = only_error(read_agent_file(text)).fix

    assert fix is not None
    assert text[: fix.start] + fix.text + text[fix.end :] == SMALLEST + 'title: "2024"\n'


def test_a_guard_that_does_not_act_yet_has_a_fix_that_takes_it_out():
    text = SMALLEST + "limits:\n  max_steps: 1\nhooks: {before: check.py}  # money\nstream: true\n"
    fix = only_error(read_agent_file(text)).fix

    assert fix is not None
    mended = text[: fix.start] + fix.text + text[fix.end :]
    assert mended == SMALLEST + "limits:\n  max_steps: 1\nstream: true\n"


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [
        ("files: {folder: .}", "`folder` is no setting of `files`"),
        ("files: {worksapce: .}", "Did you mean `workspace`?"),
        ("files: {workspace: 3}", "must be text"),
        ("search: {max_output_chars: 5}", "at least 1,000"),
        ("clock: {workspace: .}", "is no setting of `clock`"),
        ("read_file: {aproval: never}", "Did you mean `approval`?"),
    ],
)
def test_a_setting_that_a_tool_cannot_take_is_an_error(tool, sentence):
    assert sentence in only_error(read(f"tools:\n  - {tool}\n")).message


def test_the_settings_of_a_known_tool_are_those_that_it_declares():
    schema = {"properties": {"zone": {"type": "string"}}}
    known = Known(settings={"clock": schema})

    assert read("tools:\n  - clock: {zone: Europe/Berlin}\n", known).is_publishable
    assert "Did you mean `zone`?" in only_error(read("tools:\n  - clock: {zoen: x}\n", known)).message


def test_a_model_setting_at_the_top_is_told_where_it_belongs():
    assert "belongs under `model_settings`" in only_error(read("temperature: 0\n")).message


def test_keys_that_begin_with_x_are_kept_and_ignored():
    file = read("x-note: {any: thing}\nlimits: {x-why: because, max_steps: 3}\n")

    assert file.problems == ()


def test_an_unknown_tool_is_named_with_the_nearest_known_one():
    clock = ToolSpec(name="clock", description="The time now.", schema={}, access=Access.READ)
    known = Known(tools={"clock": clock}, models=["desk"], complete=True)

    problem = only_error(read("tools: [clok]\n", known))

    assert (problem.line, problem.column, problem.path) == (3, 9, "tools.0")
    assert "Did you mean `clock`?" in problem.message


@pytest.mark.parametrize(
    ("model", "is_known"),
    [("desk", True), ("playbook/tutor", True), ("any/model:8b", True), ("desc", False), ("playbook/none", False)],
)
def test_a_model_is_a_provider_and_name_or_a_connection_or_a_playbook(model, is_known):
    known = Known(models=["desk"], playbooks=["tutor"], complete=True)

    assert read_agent_file(f"name: a\nmodel: {model}\n", known).is_publishable is is_known


def test_a_missing_name_is_said_at_the_place_where_it_would_stand():
    problem = only_error(read_agent_file("model: openai/gpt-4.1-mini\n"))

    assert (problem.line, problem.path) == (1, "name")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment\n",
        "just words",
        "- a\n- list\n",
        "a: [",
        "a: 'b",
        "a: b: c",
        "*x",
        "%",
        "\ufeff",
        "workflow: x",
    ],
)
def test_a_text_that_is_no_agent_gets_one_sentence(text):
    file = read_agent_file(text)

    assert not file.is_loadable
    assert only_error(file).message.endswith(".")


def test_a_line_that_was_not_indented_is_shown_itself_and_not_the_one_after_it():
    problem = only_error(read("system_prompt: |\nBe brief.\ntools:\n  - clock\n"))

    assert (problem.line, problem.column) == (4, 1)
    assert "indent the line" in problem.message


def test_a_token_in_a_comment_is_no_secret():
    assert read("# flux secrets set GITHUB_TOKEN ghp_0123456789abcdef0123\n").problems == ()


@pytest.mark.parametrize(
    "value",
    ["https://docs.example/token/guide", "ORDERS_TOKEN", "Bearer tokens are explained on page 12", "${API_KEY}"],
)
def test_words_about_keys_are_no_secrets(value):
    assert read(f"x-token: {value}\nsystem_prompt: {value}\n").problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "{secret}: 1\n",
        "limits: {{{secret}: 1}}\n",
        "{secret}: 1\n{secret}: 2\n",
        "x: *{secret}\n",
        "tools: [{secret}]\n",
        "tools:\n  - {secret}: {{a: 1}}\n",
        "model_settings: {{reasoning_effort: {secret}}}\n",
        "title: [{secret}]\n",
        'title: "\\x73k-test-000000000000000"\n',
    ],
)
def test_a_secret_in_any_place_is_never_repeated(text):
    file = read(text.format(secret="sk-test-000000000000000"), Known(complete=True))

    assert file.errors
    assert not file.is_loadable
    assert "test-0000" not in " ".join(f"{problem} {problem.path} {problem.fix}" for problem in file.problems)


def test_a_random_value_in_a_field_named_like_a_key_is_a_secret():
    assert "looks like a key" in only_error(read("x-api_key: q9X2mmPz71LkVb04tRwa\n")).message


def test_states_that_lead_nowhere_or_are_not_reached_are_warnings():
    file = read("states:\n  initial: a\n  a: {transitions: [{to: b}]}\n  b: {}\n  c: {final: true}\n")

    warnings = [problem for problem in file.problems if problem.severity is Severity.WARNING]
    assert [(problem.line, problem.path) for problem in warnings] == [(6, "states.b"), (7, "states.c")]


def test_a_transition_to_a_state_that_does_not_exist_is_an_error():
    text = SMALLEST + "states:\n  initial: open\n  open: {transitions: [{to: opne}]}\n"
    problem = only_error(read_agent_file(text))

    assert "Did you mean `open`?" in problem.message
    assert problem.fix is not None
    assert text[: problem.fix.start] + problem.fix.text + text[problem.fix.end :] == text.replace("opne", "open")


def test_bytes_that_are_not_utf8_are_refused_with_their_place():
    problem = decode_agent_file(b"name: a\ntitle: caf\xe9\n")

    assert isinstance(problem, Problem)
    assert (problem.line, problem.column) == (2, 11)


def test_a_file_over_the_limit_is_refused():
    assert isinstance(decode_agent_file(b"#" * 262_145), Problem)
    assert "262,144" in only_error(read_agent_file("#" * 262_145)).message


@given(st.text(max_size=200))
@example("{0")
def test_no_text_at_all_makes_the_reader_raise(text):
    read_agent_file(text)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#\n \t,?%@`\\~0<x", max_size=120))
def test_no_yaml_like_text_makes_the_reader_raise(text):
    file = read_agent_file("name: a\nmodel: b\n" + text)

    assert file.is_loadable or file.errors


@pytest.mark.parametrize("folder", ["/etc", "../..", "docs/../../other"])
def test_a_workspace_that_leads_out_is_an_error_at_its_place(folder):
    file = read_agent_file(f"name: a\nmodel: playbook/echo\ntools:\n  - files: {{workspace: {folder}}}\n")

    assert [(problem.line, problem.message[:31]) for problem in file.errors] == [(4, "`workspace` must be a folder in")]


@pytest.mark.parametrize("folder", [".", "docs", "docs/2026", "..docs"])
def test_a_workspace_inside_is_fine(folder):
    text = f"name: a\nmodel: playbook/echo\ntools:\n  - files: {{workspace: {folder}}}\n"

    assert read_agent_file(text).is_publishable
