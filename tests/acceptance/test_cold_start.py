"""The server as a person starts it: a process of its own, with nothing warmed up and an empty data folder."""

import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import ROOT, StudioServer

pytestmark = pytest.mark.acceptance


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[StudioServer]:
    server = StudioServer(tmp_path)
    yield server
    server.stop()


def start_cold(studio: StudioServer) -> None:
    """What `make run` starts."""
    arguments = ["manage.py", "serve", "--first-run", "--port", str(studio.port)]
    with (studio.data / "server.log").open("wb") as log:
        studio.process = subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env=studio.env, stdout=log, stderr=subprocess.STDOUT
        )
    studio.wait_until_healthy()


def test_the_first_start_prints_a_link_that_opens_and_a_second_start_finds_all_again(studio):
    start_cold(studio)
    link = re.search(r"http://\S+/sign-in/link/\S+", studio.log)
    assert link, studio.log
    with urllib.request.urlopen(link[0], timeout=10) as page:
        assert page.status == 200
    listed = studio.manage("agents", "list")
    assert "refund-desk" in listed

    studio.kill()
    start_cold(studio)

    assert studio.manage("agents", "list") == listed
