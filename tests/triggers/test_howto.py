"""The example of `docs/howto/add-a-source.md` is run as it stands there."""

import re
import sqlite3
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from runtime.ports import ToolFailed
from studio.sources.table import Kind
from tests.triggers.source_suite import check_source

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "add-a-source.md"
BLOCK = re.compile(r"^( *)```python\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


def blocks() -> list[str]:
    return [dedent(block) for _, block in BLOCK.findall(HOWTO.read_text())]


def example() -> dict[str, Any]:
    """What the source's file and its test define."""
    source, _, test = blocks()
    names: dict[str, Any] = {"sqlite3": sqlite3, "check_source": check_source}
    exec(compile(source, "rows.py", "exec"), names)  # our own page
    exec(compile(test, "test_rows.py", "exec"), names)
    return names


async def test_the_example_is_a_source_and_its_test_passes(tmp_path):
    await example()["test_rows_are_a_source"](tmp_path)


async def test_the_example_tells_in_words_what_fails(tmp_path):
    source = example()["Rows"](tmp_path / "missing.sqlite3", "orders")
    with pytest.raises(ToolFailed, match="the table orders cannot be read"):
        await source.look("")


def test_the_line_for_the_table_makes_the_source(tmp_path):
    names = example() | {"Kind": Kind}
    [kind] = eval("{" + blocks()[1] + "}", names).values()  # our own page
    here = type("Here", (), {"workspaces": tmp_path})

    assert isinstance(kind.make({"path": "orders.sqlite3", "table": "orders"}, here), names["Rows"])
