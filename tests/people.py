"""People in every role, for the tests of rights."""

from django.test import Client
from django.urls import reverse

from studio.models import Project, User
from studio.rights import Role
from studio.services.accounts import add_user, default_project
from studio.services.audit import Actor
from studio.services.signin import make_sign_in_link


def person(name: str, role: Role | None = Role.MEMBER, *, project: Project | None = None) -> User:
    """A new person with the role, in the default project if none is given."""
    return add_user(Actor.terminal(), name, role=role, project=project or default_project())


def administrator(name: str = "ada") -> User:
    return add_user(Actor.terminal(), name, role=Role.SUPERVISOR, is_administrator=True)


def everybody() -> dict[str, User | None]:
    """One person for each column of the rights table, by the column's word; None = not signed in."""
    other_project = Project.objects.create(slug="other", name="Other")
    return {
        "anonymous": None,
        "member": person("mia"),
        "other member": person("otto"),
        "author": person("aron", Role.AUTHOR),
        "reviewer": person("rita", Role.REVIEWER),
        "supervisor": person("sue", Role.SUPERVISOR),
        "admin": administrator(),
        "stranger": person("stan", project=other_project),
    }


def browser_of(user: User | None) -> Client:
    """A browser in which the person has just signed in with a link."""
    client = Client(SERVER_NAME="localhost")
    if user is not None:
        secret = make_sign_in_link(Actor.terminal(), user)
        client.post(reverse("sign-in-link", args=[secret]))
    return client
