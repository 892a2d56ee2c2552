"""A line of `runtime.md` that is tested in another folder names a test that is really there."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECTIONS = sorted(Path(__file__).parent.glob("test_section_*.py"))


@pytest.mark.parametrize("section", SECTIONS, ids=lambda path: path.stem)
def test_every_test_that_is_named_exists(section):
    missing = [f"{words}: {named}" for words, named in elsewhere(section).items() if not exists(named)]

    assert missing == []


def elsewhere(section: Path) -> dict[str, str]:
    """The words of the page and the test that stands for them, from the module's `ELSEWHERE`; none if it has none."""
    for node in ast.parse(section.read_text()).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["ELSEWHERE"]:
            return ast.literal_eval(node.value)
    return {}


def exists(named: str) -> bool:
    """Whether `tests/FOLDER/FILE.py::test_name` or `…::Class::test_name` is a test of that file."""
    path, _, name = named.partition("::")
    file = ROOT / path
    return file.is_file() and name in set(names_of_tests(ast.parse(file.read_text()).body))


def names_of_tests(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name.startswith("test_"):
                yield name
            case ast.ClassDef(name=name):
                yield from (f"{name}::{inner}" for inner in names_of_tests(node.body))
