"""Workflows: ways to start sessions of several agents."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("studio", "0006_what_asks"),
    ]

    operations = [
        migrations.CreateModel(
            name="Workflow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=64)),
                ("title", models.CharField(blank=True, max_length=200)),
                ("description", models.TextField(blank=True)),
                ("text", models.TextField()),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="workflows", to="studio.project")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("project", "name"), name="workflow_name_once_per_project")],
            },
        ),
    ]
