"""What every test may use."""

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time, and no verdict by the clock: what fails here must fail everywhere.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

ACCEPTANCE = Path(__file__).parent / "acceptance"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The acceptance tests run real processes, so `make test` gives them the machine to themselves."""
    for item in items:
        if ACCEPTANCE in item.path.parents:
            item.add_marker(pytest.mark.acceptance)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Debian's Chromium in place of the one that playwright would download."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    return {**browser_type_launch_args, "executable_path": path, "args": ["--no-sandbox", "--disable-gpu"]}
