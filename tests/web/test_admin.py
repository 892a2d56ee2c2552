"""Django's admin shows every table to administrators, changes little, and records what it changes."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.urls import reverse

from studio.models import AuditEntry, Project
from tests.people import administrator, browser_of, person

pytestmark = pytest.mark.django_db


def test_every_table_is_there_or_has_a_row_view():
    names = {table.__name__ for table in admin.site._registry}

    for table in apps.get_app_config("studio").get_models():
        assert table.__name__ in names or f"{table.__name__}Row" in names


def test_every_list_and_first_row_opens():
    browser = browser_of(administrator())
    person("mia")
    for table in admin.site._registry:
        name = f"admin:{table._meta.app_label}_{table._meta.model_name}"
        assert browser.get(reverse(f"{name}_changelist")).status_code == 200, name
        for row in table._default_manager.all()[:1]:
            page = browser.get(reverse(f"{name}_change", args=[row.pk]))
            assert page.status_code == 200, name
            assert "sha256" not in page.content.decode().lower(), name


@pytest.mark.parametrize("name", ["eventrow", "auditentry", "user", "apitoken", "rollout", "ampsession"])
def test_what_is_recorded_cannot_be_added_or_deleted_there(name):
    browser = browser_of(administrator())

    assert browser.get(reverse(f"admin:studio_{name}_add")).status_code == 403
    assert browser.post(reverse(f"admin:studio_{name}_delete", args=["1"])).status_code in {302, 403, 404}


def test_a_change_there_is_in_the_audit_log():
    browser = browser_of(administrator())
    project = Project.objects.get()

    browser.post(reverse("admin:studio_project_change", args=[project.pk]), {"slug": "default", "name": "Support"})

    entry = AuditEntry.objects.order_by("pk").last()
    assert (entry.action, entry.who, entry.after) == ("project.changed", "ada", {"name": "Support"})


def test_the_row_views_are_there():
    with connection.cursor() as cursor:
        assert {"studio_event_row", "studio_artifact_row"} <= {
            table.name for table in connection.introspection.get_table_list(cursor) if table.type == "v"
        }
