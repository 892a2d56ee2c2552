"""Events and versions that the database refuses to change."""

from django.db import migrations

from studio.triggers import erasable, unchangeable


class Migration(migrations.Migration):
    dependencies = [("studio", "0002_sessions")]

    operations = [
        erasable("studio_event"),
        unchangeable("studio_agentversion"),
    ]
