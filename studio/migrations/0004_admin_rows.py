"""Views for Django's admin. A later migration that alters a table below one must drop and make the view again."""

from django.db import migrations, models

EVENT_ROW = """
CREATE VIEW studio_event_row AS
SELECT rollout_id || '-' || seq AS id, rollout_id, seq, pos, type, payload, at, source, step, cause FROM studio_event
"""

ARTIFACT_ROW = """
CREATE VIEW studio_artifact_row AS
SELECT rollout_id || '-' || id AS id, rollout_id, text FROM studio_artifact
"""


class Migration(migrations.Migration):
    dependencies = [
        ("studio", "0003_triggers"),
    ]

    operations = [
        migrations.CreateModel(
            name="ArtifactRow",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("text", models.TextField()),
            ],
            options={
                "verbose_name": "artifact",
                "db_table": "studio_artifact_row",
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="EventRow",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("seq", models.PositiveIntegerField()),
                ("pos", models.PositiveIntegerField()),
                ("type", models.PositiveSmallIntegerField()),
                ("payload", models.TextField()),
                ("at", models.BigIntegerField()),
                ("source", models.TextField()),
                ("step", models.PositiveIntegerField(null=True)),
                ("cause", models.PositiveIntegerField(null=True)),
            ],
            options={
                "verbose_name": "event",
                "db_table": "studio_event_row",
                "managed": False,
            },
        ),
        migrations.RunSQL(EVENT_ROW, "DROP VIEW studio_event_row"),
        migrations.RunSQL(ARTIFACT_ROW, "DROP VIEW studio_artifact_row"),
    ]
