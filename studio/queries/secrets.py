"""Reads of secrets. None of them gives a value."""

from django.db.models import QuerySet

from studio.models import Project, Secret, User


def secrets_for(viewer: User) -> QuerySet[Secret]:
    """All secrets of the viewer's projects by name, for an administrator; none for others."""
    rows = Secret.objects.visible_to(viewer).defer("encrypted_value").order_by("name")
    return rows if viewer.is_administrator else rows.none()


def secret_names(project: Project) -> list[str]:
    """The names that tools and agent files of the project may use, for anybody who writes them."""
    return list(Secret.objects.filter(project=project).order_by("name").values_list("name", flat=True))
