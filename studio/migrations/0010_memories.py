"""People's long-term memories, and the index by which they are searched."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SQLITE = (
    "CREATE VIRTUAL TABLE studio_memoryindex USING fts5 "
    "(words, content='studio_memoryversion', content_rowid='id', tokenize='unicode61 remove_diacritics 0')",
    "CREATE TRIGGER studio_memoryindex_takes_words AFTER INSERT ON studio_memoryversion WHEN new.words <> '' "
    "BEGIN INSERT INTO studio_memoryindex (rowid, words) VALUES (new.id, new.words); END",
    "CREATE TRIGGER studio_memoryindex_loses_words AFTER UPDATE OF words ON studio_memoryversion WHEN old.words <> '' "
    "BEGIN INSERT INTO studio_memoryindex (studio_memoryindex, rowid, words) VALUES ('delete', old.id, old.words); END",
)
POSTGRESQL = (
    "CREATE INDEX memory_words ON studio_memoryversion USING gin (array_to_tsvector(string_to_array(words, ' ')))",
)


def index_words(apps, schema_editor):
    """Full-text search over the words of what is current: FTS5 beside the table, or an index of PostgreSQL.

    Words are only ever taken away once a row is there.
    """
    for statement in SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL:
        schema_editor.execute(statement)


def drop_words(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TABLE studio_memoryindex")
    else:
        schema_editor.execute("DROP INDEX memory_words")


class Migration(migrations.Migration):
    dependencies = [("studio", "0009_tools_and_secrets")]

    operations = [
        migrations.CreateModel(
            name="MemoryVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("namespace", models.CharField(max_length=80)),
                ("key", models.CharField(max_length=100)),
                ("version", models.PositiveIntegerField()),
                ("value", models.TextField(null=True)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("words", models.TextField(blank=True)),
                ("is_current", models.BooleanField(default=True)),
                ("is_tainted", models.BooleanField(default=False)),
                ("at", models.BigIntegerField()),
                ("erased_at", models.BigIntegerField(null=True)),
                ("rollout", models.CharField(blank=True, max_length=32)),
                ("seq", models.PositiveIntegerField(default=0)),
                (
                    "by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memories",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="memories", to="studio.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "owner", "namespace", "key", "version"), name="memory_version_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_current", True)),
                        fields=("project", "owner", "namespace", "key"),
                        name="memory_current_once",
                    ),
                    models.CheckConstraint(condition=models.Q(("version__gte", 1)), name="memory_version_from_1"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("erased_at", None),
                            models.Q(("sha256", ""), ("value", None), ("words", "")),
                            _connector="OR",
                        ),
                        name="memory_erased_is_empty",
                    ),
                ],
            },
        ),
        migrations.RunPython(index_words, drop_words),
    ]
