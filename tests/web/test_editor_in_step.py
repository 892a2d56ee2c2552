"""Form and YAML are one text: after any edits in the form, both say the same and no comment is lost."""

import random
from typing import Any

import pytest

from runtime.domain.agent_file import read_agent_file
from runtime.domain.yaml_node import plain_value
from studio.queries.known import tool_registry
from studio.web.editor_fields import edited_text
from studio.web.editor_form import CONTROLS, Control, canonical_root, fields, node_at, parsed
from studio.web.editor_tools import tool_choices, tool_rows

COMMENTS = ("# the shop's desk", "# needs no key", "# sums only", "# the end")  # of what the edits do not remove
TEXT = """# the shop's desk
name: refund-desk
title: "Refund desk"   # seen by people

model: playbook/echo   # needs no key
tags:
  # a list of words
  - support
system_prompt: |
  Be brief.

  Be warm: always.
max_tool_calls: 8
tools:
  - calculator         # sums only
  - files: {workspace: .}
limits: {max_steps: 5}
x-note: {kept: [1, 2]}
# the end
"""
WORDS = (
    "a",
    "two words",
    "colon: here",
    "# no comment",
    "- dash",
    "yes",
    "12",
    "'quoted'",
    "café 😀",
    "{{ user.name }}",
    "",
)


def typed(control: Control, chance: random.Random) -> str:
    """Something that a person may type into the control."""
    match control.kind:
        case "number":
            return chance.choice(("", "1", "7", "40"))
        case "decimal":
            return chance.choice(("", "0", "0.7", "1"))
        case "list":
            return ", ".join(chance.sample(("one", "two words", "no", "3"), chance.randrange(4)))
        case "switch":
            return chance.choice(("true", "false"))
        case "choice":
            return chance.choice([value for value, _ in control.choices])
        case "area":
            return "\n".join(chance.choice(WORDS) for _ in range(chance.randrange(4)))
        case "exact" | "model":
            return chance.choice(("refund-desk", "other/thing", "playbook/echo"))
        case "text":
            return chance.choice(WORDS)


def meant(control: Control, words: str) -> Any:
    value = parsed(control, words)
    return value if value is not None else parsed(control, "")


def values(text: str) -> dict[str, str]:
    file = read_agent_file(text)
    root = canonical_root(file)
    assert root is not None
    return {field.control.path: field.value for section in fields(file, root).values() for field in section}


def stored(text: str, path: str) -> Any:
    root = canonical_root(read_agent_file(text))
    assert root is not None
    node = node_at(root, path.split("."))
    return plain_value(node) if node is not None else None


@pytest.mark.parametrize("seed", range(4))
def test_form_and_text_agree_after_each_of_200_random_edits(seed):
    chance, text = random.Random(seed), TEXT
    for _ in range(200):
        control = chance.choice(list(CONTROLS.values()))
        words = typed(control, chance)
        before = values(text)

        text = edited_text(text, {f"field:{control.path}": words})

        assert stored(text, control.path) == meant(control, words)
        others = {path: value for path, value in values(text).items() if path != control.path}
        assert others == {path: value for path, value in before.items() if path != control.path}
    assert [comment for comment in COMMENTS if comment not in text] == []
    assert "x-note: {kept: [1, 2]}" in text


@pytest.mark.parametrize("seed", range(3))
def test_tools_come_and_go_and_the_rest_of_the_text_stays(seed):
    chance, text, registry = random.Random(seed), TEXT, tool_registry()
    for _ in range(40):
        file = read_agent_file(text)
        rows = tool_rows(file, registry)
        choices = tool_choices(rows, registry)
        if rows and (chance.random() < 0.4 or not choices):
            gone = chance.choice(rows)
            text = edited_text(text, {"remove_tool": str(gone.index)})
            expected = [row.name for row in rows if row is not gone]
        else:
            added = chance.choice(choices).name
            text = edited_text(text, {"add_tool": added})
            expected = [*(row.name for row in rows), added]

        assert [row.name for row in tool_rows(read_agent_file(text), registry)] == expected
        assert "# the end" in text
        assert 'title: "Refund desk"   # seen by people' in text


def test_an_edit_that_says_the_same_changes_nothing():
    posted = {f"field:{path}": value for path, value in values(TEXT).items()}

    assert edited_text(TEXT, posted) == TEXT
