"""Files are found by name and by what stands in them, and no pattern holds the studio."""

import asyncio
import time
import unicodedata
from pathlib import Path

import pytest

from runtime.ports import ToolFailed
from runtime.tools.workspace.path_pattern import PathPattern
from tests.tools.calling import Desk, seconds_to_stop


@pytest.fixture
def library(folder: Path) -> Path:
    for name, text in {
        "orders/48213.md": "Alder bench\nfront leg CRACKED\n",
        "orders/48190.md": "Late delivery\n",
        "policies/refunds/parts.txt": "4.2 Part damage: up to 40% back\n",
        "책/다리.md": "다리가 부러졌어요 🪵\n",
        "node_modules/x/readme.md": "cracked\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "photo.bin").write_bytes(b"cracked\0cracked")
    return folder


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.md", ["orders/48190.md", "orders/48213.md", "책/다리.md"]),
        ("orders/*.md", ["orders/48190.md", "orders/48213.md"]),
        ("**/parts.txt", ["policies/refunds/parts.txt"]),
        ("policies/**", ["policies/refunds/parts.txt"]),
        ("policies/*.txt", []),
        ("4821?.md", ["orders/48213.md"]),
        ("다리*", ["책/다리.md"]),
    ],
)
async def test_files_are_found_by_pattern(desk: Desk, library: Path, pattern: str, found: list[str]):
    lines = (await desk.call("find_files", pattern=pattern)).splitlines()

    assert sorted(line.split("  ")[0] for line in lines if not line.startswith("[")) == sorted(found)


def test_a_nasty_pattern_costs_no_more_than_its_length():
    started = time.monotonic()

    assert not PathPattern("/".join(["**"] * 60 + ["x"])).fits("/".join("a" * 60))
    assert not PathPattern("*a" * 60 + "b").fits("a" * 200)

    assert time.monotonic() - started < 1


async def test_text_is_found_with_its_line(desk: Desk, library: Path):
    assert await desk.call("search_text", query="cracked") == "orders/48213.md:2: front leg CRACKED"
    assert await desk.call("search_text", query="부러졌어요") == "책/다리.md:1: 다리가 부러졌어요 🪵"
    assert "is not found" in await desk.call("search_text", query="cracked", ignore_case=False)
    assert "is not found" in await desk.call("search_text", query="cracked", files="*.txt")
    assert await desk.call("search_text", query="4.2", path="policies/refunds/parts.txt") == (
        "policies/refunds/parts.txt:1: 4.2 Part damage: up to 40% back"
    )


async def test_decomposed_letters_are_the_same_letters(desk: Desk, folder: Path):
    (folder / "mac.txt").write_text(unicodedata.normalize("NFD", "다리 café\n"))

    for query in ("다리", "café", "CAFÉ"):
        assert (await desk.call("search_text", query=query)).startswith("mac.txt:1:")


async def test_text_is_found_by_regular_expression(desk: Desk, library: Path):
    assert await desk.call("search_text", query=r"up to \d+%", regex=True) == (
        "policies/refunds/parts.txt:1: 4.2 Part damage: up to 40% back"
    )
    assert await desk.call("search_text", query=r"leg\s+cracked$", regex=True) == (
        "orders/48213.md:2: front leg CRACKED"
    )
    assert (await desk.call("search_text", query="🪵|bench", regex=True)).count("\n") == 1


async def test_a_wrong_regular_expression_is_said_in_words(desk: Desk, library: Path):
    for wrong in ("(", "a{2,1}", "(?P<x>", "[z-a]"):
        assert "is not a regular expression" in await desk.refusal("search_text", query=wrong, regex=True)


async def test_a_catastrophic_expression_is_stopped_within_a_second(desk: Desk, folder: Path):
    (folder / "a.txt").write_text("a" * 60 + "!")
    task = asyncio.create_task(desk.call("search_text", query="(a+)+$", regex=True))
    await asyncio.wait({task}, timeout=0.5)
    assert not task.done()

    assert await seconds_to_stop(task) < 1
    assert task.cancelled()


async def test_an_expression_that_needs_too_much_memory_is_refused(desk: Desk, folder: Path):
    (folder / "a.txt").write_text("a\n")

    answer = await _answer(desk, query="((((a{1,5000}){1,5000}){1,5000}){1,5000}){1,5000}")

    assert answer


async def test_long_results_are_cut(desk: Desk, folder: Path):
    (folder / "a.txt").write_text(("leg " * 200 + "\n") * 1000)

    text = await desk.call("search_text", query="leg", limit=1000)

    assert len(text) < 33_000
    assert text.endswith("[there is more; narrow the search]")
    assert (await desk.call("search_text", query="leg", limit=2)).count("\n") == 2


async def test_a_search_in_thousands_of_files_stops_when_cancelled(desk: Desk, folder: Path):
    for number in range(3000):
        (folder / f"{number}.txt").write_text("oak\n" * 50)
    task = asyncio.create_task(desk.call("search_text", query="walnut"))
    await asyncio.sleep(0)

    assert await seconds_to_stop(task) < 1
    assert task.cancelled()


async def _answer(desk: Desk, **args: str) -> str:
    try:
        return await desk.call("search_text", regex=True, **args)
    except ToolFailed as error:
        return error.sentence
