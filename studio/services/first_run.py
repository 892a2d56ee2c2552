"""What an installation needs before anybody can use it: tables, static files, an administrator, something to try."""

import getpass
import re

from django.core.management import call_command

from studio.models import User
from studio.services.accounts import default_project, ensure_administrator
from studio.services.audit import Actor
from studio.services.demonstration import add_demonstration


def set_up() -> User:
    """Brings everything up to date; may be run again at any time. The administrator."""
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    is_new = not User.objects.exists()
    administrator = ensure_administrator(Actor.terminal(), _login_name())
    if is_new:
        add_demonstration(default_project())
    return administrator


def _login_name() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    name = re.sub(r"[^a-z0-9_.-]", "", name.lower())
    return name if name and name != "root" else "admin"
