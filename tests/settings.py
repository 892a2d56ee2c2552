"""The studio's settings over a data folder that is thrown away after the tests."""

import os
import tempfile

_folder = tempfile.TemporaryDirectory(prefix="studio-tests-")
os.environ["STUDIO_DATA"] = _folder.name
for _name in ("STUDIO_DEBUG", "STUDIO_HOSTS", "STUDIO_HTTPS"):
    os.environ.pop(_name, None)

from studio.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # Argon2 takes 50 ms a password on purpose
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":  # noqa: F405
    DATABASES["default"]["ENGINE"] = "tests.flushable_sqlite"  # noqa: F405
