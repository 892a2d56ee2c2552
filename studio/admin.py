"""Django's admin: every table of the studio, for administrators. What is append-only or secret is read-only."""

from datetime import UTC, datetime

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import models
from django.forms import ModelForm
from django.http import HttpRequest

from studio.models import ArtifactRow, EventRow
from studio.services.audit import Actor, record
from studio.store.codes import TYPE_OF_CODE

EDITABLE = {"Project", "Membership"}  # all else is written by services, which check, record and tell sockets
SECRET = {"password", "sha256", "session_key"}


class ReadOnlyAdmin(admin.ModelAdmin):
    """Looking only."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def get_exclude(self, request: HttpRequest, obj: models.Model | None = None) -> list[str]:
        return [field.name for field in self.opts.get_fields() if _is_hidden(field)]


class AuditedAdmin(ReadOnlyAdmin):
    """Adding and changing, each with an entry in the audit log."""

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return True

    def save_model(self, request: HttpRequest, obj: models.Model, form: ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        after = {name: str(form.cleaned_data[name]) for name in form.changed_data}
        record(Actor.of(request), f"{self.opts.model_name}.{'changed' if change else 'added'}", str(obj), after=after)


@admin.register(EventRow)
class EventAdmin(ReadOnlyAdmin):
    """Events with their type in words."""

    list_display = ("rollout", "seq", "pos", "type_name", "step", "cause", "moment")
    list_select_related = ("rollout",)
    search_fields = ("rollout__public_id",)
    ordering = ("-rollout", "-seq")

    @admin.display(description="type")
    def type_name(self, row: EventRow) -> str:
        return TYPE_OF_CODE.get(row.type, str(row.type))

    @admin.display(description="at")
    def moment(self, row: EventRow) -> datetime:
        return datetime.fromtimestamp(row.at / 1_000_000, UTC)


@admin.register(ArtifactRow)
class ArtifactAdmin(ReadOnlyAdmin):
    """Large texts beside their rollout."""

    list_select_related = ("rollout",)
    search_fields = ("rollout__public_id",)


def register_all() -> None:
    """Registers each table that has no class above; those with a composite key have a row view there."""
    for table in apps.get_app_config("studio").get_models():
        if not table._meta.is_composite_pk and not admin.site.is_registered(table):
            admin.site.register(table, AuditedAdmin if table.__name__ in EDITABLE else ReadOnlyAdmin)


def _is_hidden(field: object) -> bool:
    return isinstance(field, models.BinaryField) or getattr(field, "name", "") in SECRET


admin.site.unregister(Group)  # roles are memberships
admin.site.site_header = admin.site.site_title = "Studio tables"
register_all()
