"""The layers of the architecture hold, and a new package must be placed in them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_import_goes_down_the_layers():
    linter = Path(sys.executable).with_name("lint-imports")

    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stdout + done.stderr
