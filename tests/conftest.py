"""What every test may use."""

import gc
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time, and no verdict by the clock: what fails here must fail everywhere.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

TESTS = Path(__file__).parent
MARKED = ((TESTS / "acceptance", pytest.mark.acceptance), (TESTS / "browser", pytest.mark.browser))
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
"""The first that is there: without a window to draw, a page costs half."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The acceptance tests run real processes, others a browser: `make test` gives each kind its own time."""
    for item in items:
        for folder, mark in MARKED:
            if folder in item.path.parents:
                item.add_marker(mark)
            elif item.get_closest_marker(mark.name):
                raise pytest.UsageError(f"{item.nodeid} is marked {mark.name}: move it to {folder}, or nobody runs it")


def pytest_collection_finish():
    """Thousands of tests stay in memory: the garbage collector need not look through them again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Debian's Chromium in place of the one that playwright would download."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    return {**browser_type_launch_args, "executable_path": path, "args": ["--no-sandbox", "--disable-gpu"]}
