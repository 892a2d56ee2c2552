"""Who may do what: roles, rights, and the owner rule of every route."""

from enum import StrEnum
from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from studio.models import Project, User


class Role(models.TextChoices):
    """What a person is in one project. Administrators are global and need no role."""

    MEMBER = "member", "Member"
    AUTHOR = "author", "Author"
    REVIEWER = "reviewer", "Reviewer"
    SUPERVISOR = "supervisor", "Supervisor"


class Scope(StrEnum):
    """What an API token may be used for, within the rights of its owner."""

    READ = "read"
    WRITE = "write"


class Right(StrEnum):
    """One row of the table in the security design; `shared`, `own` and `named` cases are narrower than the right."""

    TALK = "talk"
    WRITE_AGENTS = "write_agents"
    READ_OTHERS = "read_others"
    REVIEW = "review"
    REVIEW_OWN = "review_own"
    DECIDE_ANY = "decide_any"
    DECIDE_NAMED = "decide_named"
    SUPERVISE = "supervise"
    READ_OTHERS_MEMORY = "read_others_memory"
    ADMINISTER = "administer"


_EVERYONE = frozenset({Right.TALK, Right.REVIEW_OWN, Right.DECIDE_NAMED})

RIGHTS: dict[Role, frozenset[Right]] = {
    Role.MEMBER: _EVERYONE,
    Role.AUTHOR: _EVERYONE | {Right.WRITE_AGENTS},
    Role.REVIEWER: _EVERYONE | {Right.READ_OTHERS, Right.REVIEW},
    Role.SUPERVISOR: _EVERYONE
    | {
        Right.WRITE_AGENTS,
        Right.READ_OTHERS,
        Right.REVIEW,
        Right.DECIDE_ANY,
        Right.SUPERVISE,
        Right.READ_OTHERS_MEMORY,
    },
}


def roles_with(right: Right) -> list[Role]:
    """The roles that give the right, for querysets over memberships."""
    return [role for role in Role if right in RIGHTS[role]]


def rights_in(user: "User", project: "Project") -> frozenset[Right]:
    """All rights of the user, enabled, in the project. Administrators have every right."""
    if not user.is_active:
        return frozenset()
    if user.is_administrator:
        return frozenset(Right)
    roles = user.memberships.filter(project=project).values_list("role", flat=True)
    return frozenset().union(*(RIGHTS[Role(role)] for role in roles))


def has_right(user: "User", project: "Project", right: Right) -> bool:
    """True if the user, enabled, has the right in the project. Administrators have every right."""
    if not user.is_active:
        return False
    if user.is_administrator:
        return True
    return user.memberships.filter(project=project, role__in=roles_with(right)).exists()
