"""Functions of installed packages are tools, whatever one of the packages does."""

import logging
import sys
from pathlib import Path

import pytest

from runtime.tools.registry import Registry, discover
from tests.tools.calling import Desk

GOOD = '''
from runtime.ports import ToolContext
from runtime.tools.declaration import tool


@tool(group="shop_tools")
async def shelf_of(context: ToolContext, article: str) -> str:
    """Say on which shelf an article lies."""
    return f"{article} lies on shelf 4"


@tool()
async def read_file(context: ToolContext, path: str) -> str:
    """Stand in for a tool that is built in."""
    return "mine"
'''


def installed(folder: Path, name: str, code: str, points: str) -> None:
    """A package as pip leaves it: its module, and what it offers."""
    (folder / f"{name}.py").write_text(code)
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[studio.tools]\n{points}\n")


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Registry:
    installed(tmp_path, "shop_goods", GOOD, "all = shop_goods")
    installed(tmp_path, "shop_broken", "raise RuntimeError('no')", "all = shop_broken")
    installed(tmp_path, "shop_empty", "x = 1", "all = shop_empty")
    monkeypatch.syspath_prepend(str(tmp_path))
    with caplog.at_level(logging.ERROR):
        found = discover()
    for name in ("shop_goods", "shop_broken", "shop_empty"):
        sys.modules.pop(name, None)
    return found


async def test_a_function_of_a_package_is_a_tool(registry: Registry):
    tool = registry.tool("shelf_of")

    assert tool.module == "shop_goods"
    assert await Desk({"shelf_of": tool}).call("shelf_of", article="a bench") == "a bench lies on shelf 4"
    assert registry.groups["shop_tools"] == ("shelf_of",)


def test_a_package_takes_no_name_and_stops_nothing(registry: Registry, caplog: pytest.LogCaptureFixture):
    assert registry.tool("read_file").module == "runtime.tools.files"
    said = [record.getMessage() for record in caplog.get_records("setup")]
    assert any("shop_broken cannot be loaded" in line for line in said)
    assert any("shop_empty has no function" in line for line in said)
