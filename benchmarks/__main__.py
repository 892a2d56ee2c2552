"""`python -m benchmarks` reads every figure in a process of its own, several times; writes `docs/benchmarks.md`."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from benchmarks.page import page
from benchmarks.reading import Reading, medians

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
READINGS = ROOT / "docs" / "benchmarks.json"
FIGURES = (
    "b1_turns",
    "b2_one_by_one",
    "b5_long_session",
    "b6_kill",
    "b8_tokens",
    "b10_waiting",
    "b12_start",
    "b15_thousand_turns",
    "interrupts",
)
RUNS = 3
FIGURE_SECONDS = 900


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=f"some of: {', '.join(FIGURES)}")
    parser.add_argument("--runs", type=int, default=RUNS, help="how often; the median is given")
    parser.add_argument("--quick", action="store_true", help="a short run that writes nothing")
    arguments = parser.parse_args()
    for figure in arguments.figures or FIGURES:
        readings = read(figure, 1 if arguments.quick else arguments.runs, quick=arguments.quick)
        if not arguments.quick:
            keep(figure, readings, arguments.runs)


def read(figure: str, runs: int, *, quick: bool) -> list[Reading]:
    """The medians of one figure; printed."""
    readings = medians(read_once(figure, quick=quick) for _ in range(runs))
    for reading in readings:
        print(reading, flush=True)
    return readings


def read_once(figure: str, *, quick: bool) -> list[Reading]:
    command = [sys.executable, "-m", "benchmarks.child", figure, *(["--quick"] if quick else [])]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=FIGURE_SECONDS)
    return [Reading(**fields) for fields in json.loads(done.stdout.splitlines()[-1])]


def keep(figure: str, readings: list[Reading], runs: int) -> None:
    """Put these in the place of the figure's last ones, and write the page anew from all."""
    kept = json.loads(READINGS.read_text()) if READINGS.exists() else {}
    kept[figure] = [reading.as_dict() for reading in readings]
    READINGS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    everything = [Reading(**fields) for name in FIGURES for fields in kept.get(name, ())]
    PAGE.write_text(page(everything, runs))


if __name__ == "__main__":
    main()
