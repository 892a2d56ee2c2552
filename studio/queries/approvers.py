"""Who is asked: roles and people that a question names, or whoever takes part in the session."""

from collections.abc import Collection

from studio.queries.viewer import Viewer

SUPERVISORS, ADMINS, OWNER = "supervisors", "admins", "owner"
"""The roles that an agent file may name; any other name is a person's."""


def is_asked(approvers: Collection[str], viewer: Viewer) -> bool:
    """Whether the viewer may decide. A supervisor always may; without names those who take part may."""
    if viewer.supervises:
        return True
    return any(_is_meant(name, viewer) for name in approvers) if approvers else viewer.is_participant


def _is_meant(name: str, viewer: Viewer) -> bool:
    if name == SUPERVISORS:
        return viewer.supervises
    if name == ADMINS:
        return viewer.is_administrator
    return viewer.is_owner if name == OWNER else name in (viewer.user, viewer.username)
