"""`STUDIO_DATABASE_URL` as Django's database settings."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SQLITE_OPTIONS = {
    "timeout": 5,
    "transaction_mode": "IMMEDIATE",  # a read that turns into a write would otherwise fail at once with "locked"
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000;",
}


POOL = {"min_size": 2, "max_size": 40}
"""More than there are threads: whoever waits for the writer holds a connection, and the writer needs one, too."""


def database_settings(url: str, folder: Path) -> dict[str, Any]:
    """Settings for `sqlite:///PATH` (relative to the data folder) or `postgresql://USER:PASSWORD@HOST:PORT/NAME`.

    Raises ImproperlyConfigured for another scheme.
    """
    parts = urlsplit(url or "sqlite:///studio.sqlite3")
    match parts.scheme:
        case "sqlite":
            return _sqlite(folder / unquote(parts.path.removeprefix("/")))
        case "postgres" | "postgresql":
            return _postgresql(unquote(parts.path.removeprefix("/")), url)
        case scheme:
            raise ImproperlyConfigured(
                f"STUDIO_DATABASE_URL begins with {scheme!r}; use sqlite:///FILE or postgresql://USER@HOST/NAME."
            )


def _sqlite(path: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": SQLITE_OPTIONS,
        "TEST": {"NAME": path.with_name("test.sqlite3")},  # a file: threads of one in-memory database lock each other
    }


def _postgresql(name: str, url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": parts.port or "",
        "OPTIONS": {"pool": dict(POOL), **dict(parse_qsl(parts.query))},
    }
