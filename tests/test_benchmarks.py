"""The benchmarks run, and what they count is as performance.md wants it; what they time is only reported."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.page import page
from benchmarks.reading import Reading, medians

ROOT = Path(__file__).resolve().parent.parent


def quick(figure: str) -> dict[str, Reading]:
    """A short run of one figure: its readings by what was read."""
    command = [sys.executable, "-m", "benchmarks.child", figure, "--quick"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=120)
    readings = [Reading(**fields) for fields in json.loads(done.stdout.splitlines()[-1])]
    return {f"{reading.figure} {reading.what}": reading for reading in readings}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figure", "counted"),
    [
        ("b1_turns", []),
        ("b2_one_by_one", ["B13 commits, one by one"]),
        ("b5_long_session", ["B5 stored on SQLite"]),
        ("b6_kill", ["B6 recorded model calls asked again", "B6 recorded tool calls run again"]),
        ("b8_tokens", ["B8 readers that got every token, in order", "B8 rows for a delta"]),
        (
            "b10_waiting",
            [
                "B10 tasks for sessions that wait",
                "B10 rollouts in memory for sessions that wait",
                "B10 database for a waiting session, its first event included",
            ],
        ),
        ("b12_start", ["B12 of litellm, openai and httpx imported"]),
        (
            "b15_thousand_turns",
            [
                "B15 more statements in the last turns than in turn 20",
                "B15 smallest share of a prompt that repeats",
                "B15 compactions",
                "B15 prompts that are no valid history",
                "B15 longest prompt",
            ],
        ),
        ("interrupts", ["interrupts bytes after the cut was recorded"]),
    ],
)
def test_a_short_run_meets_the_goals_that_are_counts(figure, counted):
    readings = quick(figure)

    assert readings
    assert [what for what in counted if not readings[what].is_met] == []


def test_the_page_says_which_goals_are_missed():
    runs = [
        [Reading("B1", "studio", value, "ms", goal=1.0), Reading("B1", "loop", 0.1, "ms", bare=True)]
        for value in (1, 2, 3)
    ]

    text = page(medians(runs), runs=3)

    assert "Missed: B1 (studio)." in text
    assert "| studio | 2 ms | ≤ 1 | **missed** |" in text
    assert "| *bare:* loop | 0.10 ms |  |  |" in text
