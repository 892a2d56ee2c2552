"""Reads of model connections. None of them gives a key."""

from django.db.models import QuerySet

from studio.models import ModelConnection, User


def model_connections(viewer: User) -> QuerySet[ModelConnection]:
    """All connections by name, without their keys, for an administrator; none for others."""
    rows = ModelConnection.objects.defer("encrypted_key").order_by("name")
    return rows if viewer.is_administrator else rows.none()


def model_names() -> list[str]:
    """The names that agent files may use, for anybody who writes them."""
    return list(ModelConnection.objects.order_by("name").values_list("name", flat=True))


def context_window_of(model: str) -> int | None:
    """The window in tokens that an administrator entered for the connection of this name; None if unknown."""
    return ModelConnection.objects.filter(name=model).values_list("context_window", flat=True).first()
