"""What every test may use."""

import shutil

import pytest


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Debian's Chromium in place of the one that playwright would download."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    return {**browser_type_launch_args, "executable_path": path, "args": ["--no-sandbox", "--disable-gpu"]}
