"""Every hostile agent file gives exactly the outcome that the fixtures' README names."""

import time

import pytest

from runtime.domain.agent_file import AgentFile, decode_agent_file, read_agent_file
from runtime.domain.known import Known
from runtime.domain.problem import Severity
from runtime.domain.yaml_node import plain_value
from tests.fixtures import HOSTILE


def opened(name: str, known: Known | None = None) -> AgentFile:
    text = decode_agent_file((HOSTILE / name).read_bytes())
    assert isinstance(text, str)
    return read_agent_file(text, known)


def error_lines(file: AgentFile) -> list[int]:
    return [problem.line for problem in file.errors]


def values(file: AgentFile) -> dict:
    assert file.document is not None
    return plain_value(file.document)


def test_an_alias_bomb_is_refused_at_once_and_in_words():
    started = time.process_time()
    file = opened("alias-bomb.yaml")
    seconds = time.process_time() - started

    assert not file.is_loadable
    assert "aliases" in file.errors[0].message
    assert error_lines(file) == [8]
    assert seconds < 0.1


def test_an_alias_inside_its_own_anchor_names_both_lines():
    file = opened("alias-cycle.yaml")

    assert not file.is_loadable
    assert error_lines(file) == [8]
    assert "line 8" in file.errors[0].message
    assert "line 5" in file.errors[0].message


def test_deep_nesting_names_its_line_and_the_limit():
    file = opened("deep-nesting.yaml")

    assert not file.is_loadable
    assert error_lines(file) == [5]
    assert "32 levels" in file.errors[0].message


def test_each_duplicate_key_names_both_of_its_lines():
    file = opened("duplicate-keys.yaml")

    assert not file.is_loadable
    assert len(file.problems) == 3
    sentences = {problem.path: problem.message for problem in file.problems}
    assert "line 4 and in line 9" in sentences["model"]
    assert "line 5 and in line 8" in sentences["system_prompt"]
    assert "line 6 and in line 7" in sentences["limits.max_steps"]


def test_tags_are_refused_where_they_stand(capsys):
    file = opened("tags.yaml")

    assert not file.is_loadable
    assert (file.errors[0].line, file.errors[0].column) == (5, 9)
    assert error_lines(file) == list(range(5, 14))
    assert capsys.readouterr().out == ""


def test_what_looks_like_a_date_is_text():
    file = opened("bad-date.yaml")

    assert file.definition is not None
    assert file.problems == ()
    assert file.definition.title == "2024-13-45"
    assert file.definition.description == "2024-02-30T25:61:61Z"
    assert file.definition.tags == ("2024-13-45", "2024-02-30", "0000-00-00", "2024-01-01", "2024-01-01T00:00:00Z")
    assert values(file)["x-reviewed"] == "2024-13-45"


def test_a_number_of_5000_digits_is_out_of_range_and_is_not_repeated():
    file = opened("huge-int.yaml")

    assert not file.is_loadable
    assert [(problem.path, problem.line) for problem in file.problems] == [("limits.max_steps", 6)]
    assert "out of range" in file.errors[0].message
    assert len(file.errors[0].message) < 200


def test_a_tab_is_called_a_tab():
    file = opened("tabs.yaml")

    assert not file.is_loadable
    assert [(problem.line, problem.column) for problem in file.problems] == [(6, 1)]
    assert "tab" in file.errors[0].message


def test_a_byte_order_mark_and_crlf_are_read_as_if_they_were_not_there():
    file = opened("bom-crlf.yaml")

    assert file.definition is not None
    assert file.problems == ()
    assert file.definition.system_prompt == "Line one.\nLine two.\n"
    assert file.text.startswith("\ufeff")


def test_norway_stays_text():
    file = opened("norway.yaml")

    assert file.definition is not None
    assert file.errors == ()
    assert file.definition.tags == ("no", "NO", "No", "off", "Off", "on", "ON", "yes", "Yes", "y", "n")
    assert (file.definition.title, file.definition.description, file.definition.system_prompt) == ("on", "no", "yes")
    assert file.definition.states is not None
    assert list(file.definition.states.states) == ["off", "on"]
    assert all(isinstance(value, str) for value in values(file)["x-text"].values())
    assert list(values(file)["x-not-text"].values()) == [True, False, None, None, 12, 12, 31, 1000]


def test_each_unknown_key_names_the_nearest_known_one():
    file = opened("unknown-keys.yaml")

    assert not file.is_loadable
    unknown = [problem for problem in file.errors if "missing" not in problem.message]
    assert [problem.line for problem in unknown] == [3, 6, 9, 11, 12, 14, 18, 21, 23]
    meant = ["description", "system_prompt", "approval", "max_steps", "enabled", "namespace", "transitions", "to"]
    assert all(f"`{name}`?" in problem.message for name, problem in zip(meant, unknown, strict=False))
    assert "Did you mean" not in unknown[-1].message
    assert [problem.line for problem in file.errors if "missing" in problem.message] == [21]


def test_seventeen_values_are_out_of_range_and_none_is_clamped():
    file = opened("negative-limits.yaml")

    assert not file.is_loadable
    assert error_lines(file) == [5, 7, 8, 9, 12, 13, 14, 16, 17, 18, 20, 21, 23, 24, 25, 26, 26]
    assert all("out of range" in problem.message for problem in file.errors)


def test_an_injected_template_is_a_draft_with_one_problem_a_line():
    file = opened("template-injection.yaml")

    assert file.is_loadable
    assert not file.is_publishable
    assert error_lines(file) == list(range(9, 28))
    assert file.definition is not None
    assert file.definition.description == "{{ 7*7 }} in a description is plain text, never 49"
    assert not any("49" in problem.message for problem in file.problems)


def test_agents_in_a_circle_load_alone_and_name_the_unknown_one():
    first = opened("cyclic-agents-a.yaml", Known(complete=True))

    assert first.is_loadable
    assert "There is no agent `cyclic-agents-b`" in first.errors[0].message


def test_agents_in_a_circle_are_warned_about_it_once_both_are_there():
    both = {"cyclic-agents-a": ("cyclic-agents-b",), "cyclic-agents-b": ("cyclic-agents-a", "cyclic-agents-b")}
    known = Known(agents=tuple(both), invocations=both, complete=True)

    warnings = [
        problem.message
        for name in ("cyclic-agents-a.yaml", "cyclic-agents-b.yaml")
        for problem in opened(name, known).problems
        if problem.severity is Severity.WARNING
    ]

    assert any("cyclic-agents-a → cyclic-agents-b → cyclic-agents-a" in message for message in warnings)
    assert any(" cyclic-agents-b → cyclic-agents-b." in message for message in warnings)
    assert opened("cyclic-agents-a.yaml", known).errors == ()


def test_each_value_that_looks_like_a_key_is_refused_and_never_repeated():
    file = opened("secrets-inline.yaml")

    assert not file.is_loadable
    assert error_lines(file) == [5, 7, 8, 17, 21, 22, 27, 30, 32, 34]
    shown = " ".join(str(problem) + str(problem.fix) for problem in file.problems)
    for secret in ("000000000000", "111111111111", "222222222222", "333333333333", "ghp_", "whsec_", "dGVzdC"):
        assert secret not in shown
    assert all("Store it" in problem.message for problem in file.errors)


def test_unicode_comes_back_code_point_for_code_point():
    file = opened("unicode.yaml")

    assert file.definition is not None
    assert file.problems == ()
    assert file.definition.tags[2] != file.definition.tags[3]
    escapes = values(file)["x-escapes"]
    assert escapes["zero-width"] == "a\u200bb\u200cc\u200dd\ufeffe"
    assert escapes["line-separators"] == "a\u2028b\u2029c\x85d"
    assert escapes["astral"] == "\U0001f600"
    assert values(file)["x-키"] == "값"


def test_columns_behind_an_emoji_count_characters():
    file = read_agent_file("name: a\nmodel: x/y\nlimits: {x-a: 👩🏽‍💻, max_step: 5}\n")

    assert [(problem.line, problem.column) for problem in file.errors] == [(3, 21)]


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("lone-surrogate.json", ["name", "instructions", "metadata"]),
        ("nul.json", ["name", "description", "instructions", "metadata"]),
        (
            "nan.json",
            ["tools.0.file_search.ranking_options.score_threshold", "metadata.worst", "temperature", "top_p"],
        ),
    ],
)
def test_json_that_cannot_be_stored_is_refused_at_each_place(name, paths):
    file = opened(name)

    assert not file.is_loadable
    assert [problem.path for problem in file.problems] == paths
