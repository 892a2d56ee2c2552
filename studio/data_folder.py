"""The data folder: the database, the keys and what was uploaded; readable by its owner only."""

import os
import secrets
import stat
from pathlib import Path

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

SECRET_KEY_NAME = "secret.key"
ENCRYPTION_KEY_NAME = "encryption.key"


def open_data_folder(path: Path) -> Path:
    """The folder as an absolute path, made with mode 0700 if it is not there."""
    path = path.expanduser().resolve()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def secret_key(folder: Path) -> str:
    """The key that signs cookies and tokens; made on the first run."""
    return _read_or_make(folder / SECRET_KEY_NAME, secrets.token_urlsafe(64))


def encryption_keys(folder: Path) -> list[str]:
    """Fernet keys for stored secrets, newest first; older lines only decrypt."""
    text = _read_or_make(folder / ENCRYPTION_KEY_NAME, Fernet.generate_key().decode())
    return text.split()


def _read_or_make(path: Path, fresh: str) -> str:
    _make_once(path, fresh)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ImproperlyConfigured(f"{path} can be read by other users of this machine. Run: chmod 600 {path}")
    text = path.read_text().strip()
    if not text:
        raise ImproperlyConfigured(f"{path} is empty. Restore it from a backup, or delete it to have a new one made.")
    return text


def _make_once(path: Path, text: str) -> None:
    """Writes the file unless it is there; two processes that start at once end with the same key."""
    if path.exists():
        return
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
