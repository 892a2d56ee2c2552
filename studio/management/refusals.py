"""Commands say what a service refused as one line, and end with 1."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from studio.errors import StudioError
from studio.models import Project, User


@contextmanager
def as_command_errors() -> Iterator[None]:
    """Turns a StudioError inside the block into Django's CommandError."""
    try:
        yield
    except StudioError as error:
        raise CommandError(str(error)) from None


def user_named(username: str) -> User:
    """The person with this name. Raises CommandError."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"Nobody is named {username!r}. See: manage.py users list")
    return user


def project_named(slug: str) -> Project:
    """The project with this slug. Raises CommandError."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"No project is named {slug!r}. There are: {known}")
    return project
