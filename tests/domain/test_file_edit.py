"""The form edits the author's text in place: one field, one line, and nothing else moves."""

import difflib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.domain.agent_file import read_agent_file
from runtime.domain.file_edit import EditRefused, edit
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode, plain_value
from runtime.domain.yaml_text import IMPORT_LIMITS, read_yaml
from tests.fixtures import FIXTURES

DESK = """\
# The refund desk, kept by Maya.
name: refund-desk
model: openai/gpt-4.1-mini   # cheap, and enough

# What it says
system_prompt: |  # short
  You are kind.
  You are brief.

title: 'Refund desk'
tags: [support, "money"]
tools:
  - clock   # it asks for dates
  - files: {workspace: .}
  # the web
  - name: http_get
    retries: 2   # flaky shop
limits:
  max_steps: 5
# the end
"""


def changed_lines(before: str, after: str) -> list[str]:
    """The lines that differ, each with + or - in front."""
    lines = difflib.ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True))
    return [line[0] + line[2:].rstrip("\r\n") for line in lines if line[0] in "+-"]


def value_at(text: str, path: str) -> object:
    root = read_yaml(text).root
    assert root is not None
    value = plain_value(root)
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


@pytest.mark.parametrize(
    ("path", "value", "lines"),
    [
        (
            "model",
            "ollama/qwen3:8b",
            ["-model: openai/gpt-4.1-mini   # cheap, and enough", "+model: ollama/qwen3:8b   # cheap, and enough"],
        ),
        ("title", "Maya's desk", ["-title: 'Refund desk'", "+title: 'Maya''s desk'"]),
        ("title", "on", ["-title: 'Refund desk'", "+title: 'on'"]),
        ("tags.1", "cash", ['-tags: [support, "money"]', '+tags: [support, "cash"]']),
        ("tags", ["support", "money", "cash"], ['-tags: [support, "money"]', '+tags: [support, "money", cash]']),
        ("tags", ["money"], ['-tags: [support, "money"]', '+tags: ["money"]']),
        ("tags", None, ['-tags: [support, "money"]']),
        ("limits.max_steps", 6, ["-  max_steps: 5", "+  max_steps: 6"]),
        ("limits.max_tool_calls", 3, ["+  max_tool_calls: 3"]),
        ("limits.max_steps", None, ["-limits:", "-  max_steps: 5"]),
        ("tools.0", None, ["-  - clock   # it asks for dates"]),
        ("tools.2.retries", 3, ["-    retries: 2   # flaky shop", "+    retries: 3   # flaky shop"]),
        ("tools.2.retries", None, ["-    retries: 2   # flaky shop"]),
        ("tools.1.files.workspace", None, ["-  - files: {workspace: .}", "+  - files: {}"]),
        ("tools.1.files", None, ["-  - files: {workspace: .}"]),
        ("tools.2.timeout", "30s", ["+    timeout: 30s"]),
        ("tools.1.files.workspace", "desk", ["-  - files: {workspace: .}", "+  - files: {workspace: desk}"]),
        ("tools.3", {"search": {"workspace": "."}}, ["+  - search: {workspace: .}"]),
        ("description", "Handles refunds: all of them", ['+description: "Handles refunds: all of them"']),
        ("stream", False, ["+stream: false"]),
        ("interrupts.send_now", False, ["+interrupts:", "+  send_now: false"]),
        ("system_prompt", "You are kind.\nYou are very brief.\n", ["-  You are brief.", "+  You are very brief."]),
        ("model_settings", {"temperature": 0, "seed": 1}, ["+model_settings:", "+  temperature: 0", "+  seed: 1"]),
    ],
)
def test_one_field_changes_its_own_line_and_no_other(path, value, lines):
    assert changed_lines(DESK, edit(DESK, path, value)) == lines


def test_a_value_that_is_already_there_changes_nothing():
    assert edit(DESK, "tools.2.retries", 2) == DESK
    assert edit(DESK, "tags", ["support", "money"]) == DESK
    assert edit(DESK, "tools.2.rollback", None) == DESK


def test_a_prompt_without_a_line_end_says_so_in_its_sign():
    after = edit(DESK, "system_prompt", "You are kind.\nYou are brief.")

    assert value_at(after, "system_prompt") == "You are kind.\nYou are brief."
    assert "system_prompt: |-  # short" in after


def test_a_text_of_several_lines_becomes_a_block():
    after = edit(DESK, "title", "Refund\ndesk\n")

    assert changed_lines(DESK, after) == ["-title: 'Refund desk'", "+title: |", "+  Refund", "+  desk"]


def test_a_block_becomes_one_line_and_its_comment_stays():
    after = edit(DESK, "system_prompt", "Be kind.")

    assert "system_prompt: Be kind.  # short\n\ntitle:" in after


@pytest.mark.parametrize(
    "prompt",
    [
        "a\n\nb\n", "a\n\n\n", "\n\na\n", "  a\nb\n", "a\n  \nb", "a  \nb  \n", "\ta\n\tb\n", "# a\n# b\n", "a\r\nb\n",
        "- a\n- b", "{{ state }}\n{% if x %}", "---\na\n", "한국어\n👩🏽‍💻\n", "a\u2028b\n\x85c", "\n",
        "", " ", "null", "1_000", "0o7",
        "2024-01-01", "a: b", "a #b", "*a", "&a", "!a", "%a", "@a", "`a`", "a:", "-", "- a", "?", "? a", "[a]", "{a}",
        "'", '"',
        "\\", "a\tb", "yes", "true", "~", "1e3", ".5", "...", "<<", "=", "|", "> a",
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["system_prompt", "title", "description", "tags.0", "tools.2.name", "x-note.deep"])
def test_any_text_comes_back_as_it_was_put_in(prompt, path):
    after = edit(DESK, path, prompt)

    assert value_at(after, path) == prompt
    assert [line for line in DESK.splitlines() if line.startswith("#")] == [
        line for line in after.splitlines() if line.startswith("#") and line not in prompt.splitlines()
    ]


def test_a_list_that_becomes_one_word_keeps_the_comments_before_it():
    text = "tools:  # all\n  # the clock\n  - clock\nname: a\n"

    assert edit(text, "tools", "none") == "tools: none  # all\n  # the clock\nname: a\n"


def test_a_flux_name_is_edited_where_it_stands():
    text = "name: a\nmodel: b\nmax_tool_calls: 30  # many\nplanning: true\n"

    assert edit(text, "limits.max_tool_calls", 5) == text.replace("30", "5")
    assert edit(text, "planning.enabled", False) == text.replace("true", "false")
    assert edit(text, "planning.max_steps", 9) == text + "max_plan_steps: 9\n"


def test_byte_order_mark_and_crlf_stay():
    text = "\ufeffname: a\r\nmodel: b  # here\r\nsystem_prompt: |\r\n  One.\r\n  Two.\r\n"

    after = edit(edit(text, "model", "c"), "system_prompt", "One.\nThree.\n")

    assert after == text.replace("b  #", "c  #").replace("Two", "Three")
    assert edit(text, "title", "A") == text.replace("  # here\r\n", "  # here\r\ntitle: A\r\n")


def test_a_form_edit_of_the_windows_file_changes_its_fourth_line_only():
    text = (FIXTURES / "hostile" / "bom-crlf.yaml").read_bytes().decode()

    after = edit(text, "description", "Saved here").split("\r\n")

    before = text.split("\r\n")
    assert [number for number, line in enumerate(before, 1) if after[number - 1] != line] == [4]
    assert after[3] == "description: Saved here  # this comment stays"
    assert len(after) == len(before)


def test_an_empty_text_gets_its_first_keys():
    text = edit(edit("", "name", "desk"), "limits.max_steps", 3)

    assert text == "name: desk\nlimits:\n  max_steps: 3\n"
    assert edit("# mine\n", "name", "desk") == "# mine\nname: desk\n"


def test_a_key_without_a_value_gets_one():
    text = "name: a\nlimits:  # none yet\nmodel:\n"

    assert edit(text, "limits.max_steps", 3) == "name: a\nlimits:  # none yet\n  max_steps: 3\nmodel:\n"
    assert edit(text, "model", "b") == "name: a\nlimits:  # none yet\nmodel: b\n"


def test_json_stays_json():
    text = '{\n  "name": "a",\n  "model": "b",\n  "limits": {"max_steps": 5}\n}\n'

    after = edit(edit(edit(text, "title", "on"), "limits.max_tool_calls", 3), "tags", ["x"])

    assert '"title": "on"' in after
    assert '{"max_steps": 5, "max_tool_calls": 3}' in after
    assert '"tags": ["x"]' in after


def test_a_text_that_cannot_be_read_is_not_edited():
    with pytest.raises(EditRefused, match="line 2"):
        edit("name: a\nmodel: [\n", "name", "b")


def test_a_place_shared_through_an_alias_is_not_edited_behind_its_back():
    text = "x-shared: &limits {max_steps: 5}\nlimits: *limits\n"

    with pytest.raises(EditRefused, match="shared"):
        edit(text, "limits.max_steps", 6)
    assert edit(text, "limits", {"max_steps": 6}) == text.replace("*limits", "{max_steps: 6}")


def scalar_paths(node: Node) -> list[tuple[str, ...]]:
    match node:
        case ScalarNode():
            return [node.path]
        case SequenceNode():
            return [path for item in node.items for path in scalar_paths(item)]
        case MappingNode():
            return [path for entry in node.entries for path in scalar_paths(entry.value)]


def yaml_fixtures() -> list[Path]:
    folders = (FIXTURES / "agents", FIXTURES / "imports")
    files = (path for folder in folders for path in sorted(folder.rglob("*")))
    return [path for path in files if path.suffix in (".yaml", ".yml", ".json") and path.parent.name != "kagent"]


@pytest.mark.parametrize("path", yaml_fixtures(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_one_line_value_of_every_fixture_is_edited_as_one_line(path):
    text = path.read_bytes().decode()
    root = read_yaml(text, IMPORT_LIMITS).root
    assert root is not None

    for steps in scalar_paths(root)[:60]:
        before = text.splitlines(keepends=True)
        after = edit(text, steps, "changed here").splitlines(keepends=True)
        if len(after) == len(before):
            assert sum(one != other for one, other in zip(before, after, strict=True)) == 1, steps
        else:
            assert len(after) < len(before), steps  # a block or folded text became one line


PATHS = st.sampled_from(
    ["title", "description", "system_prompt", "model", "tags", "tags.0", "limits.max_steps", "limits.max_tool_calls",
     "tools", "tools.0", "tools.1", "tools.2.retries", "tools.2.timeout", "model_settings.temperature", "stream",
     "interrupts.on_stop", "states.open.description", "x-note", "fallback_models"]
)  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), TEXTS,
    st.lists(st.one_of(TEXTS, st.dictionaries(st.sampled_from("abc"), TEXTS, max_size=2)), max_size=4),
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.one_of(TEXTS, st.integers(0, 9)), max_size=3),
)  # fmt: skip


@given(st.lists(st.tuples(PATHS, VALUES), max_size=6))
@settings(max_examples=200, deadline=None)
def test_any_row_of_edits_leaves_each_value_where_it_was_put_and_every_comment(edits):
    text = DESK
    for path, value in edits:
        try:
            after = edit(text, path, value)
        except EditRefused:
            continue
        if value is not None and not isinstance(value, dict | list):
            assert value_at(after, path) == value
        read_agent_file(after)
        text = after
    assert text.startswith("# The refund desk, kept by Maya.\n")
    assert "# the end" in text
