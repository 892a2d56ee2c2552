"""The studio refuses to start with an unsafe setting, and names it."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


SHOWN = "from django.conf import settings as s; print(s.ALLOWED_HOSTS, s.SESSION_COOKIE_SECURE)"
BREAKS = "import django, logging; django.setup(); logging.getLogger('django.request').error('it broke')"


def start(folder, code=SHOWN, **environment):
    """The exit code and what is printed when Django loads the settings in a process of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("STUDIO_", "DJANGO_"))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=clean | {"STUDIO_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "studio.settings"} | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"STUDIO_HOSTS": "*"}, "STUDIO_HOSTS is '*'"),
        ({"STUDIO_HOSTS": "studio.example.org"}, "STUDIO_HTTPS is not set"),
        ({"STUDIO_HOSTS": "studio.example.org", "STUDIO_DEBUG": "1"}, "Debug works on loopback only"),
        ({"STUDIO_DATABASE_URL": "mysql://x"}, "STUDIO_DATABASE_URL begins with 'mysql'"),
    ],
)
def test_an_unsafe_setting_stops_the_start_and_is_named(tmp_path, environment, sentence):
    code, printed = start(tmp_path, **environment)

    assert code != 0
    assert sentence in printed


def test_behind_https_cookies_travel_over_https_only(tmp_path):
    _, printed = start(tmp_path, STUDIO_HOSTS="studio.example.org", STUDIO_HTTPS="1")

    assert printed.strip() == "['localhost', '127.0.0.1', '[::1]', 'studio.example.org'] True"


def test_the_keys_are_made_on_the_first_run_for_the_owner_only_and_kept(tmp_path):
    folder = tmp_path / "data"

    start(folder)
    first = {name: (folder / name).read_text() for name in ("secret.key", "encryption.key")}
    start(folder)

    assert {name: (folder / name).read_text() for name in first} == first
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in first} == {0o600}


def test_a_key_that_others_can_read_stops_the_start_with_the_remedy(tmp_path):
    start(tmp_path)
    (tmp_path / "secret.key").chmod(0o644)

    code, printed = start(tmp_path)

    assert code != 0
    assert f"Run: chmod 600 {tmp_path}/secret.key" in printed


def test_what_breaks_is_in_the_log_without_debug(tmp_path):
    _, printed = start(tmp_path, BREAKS)

    assert "ERROR django.request: it broke" in printed
