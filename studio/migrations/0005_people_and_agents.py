"""Trees of rollouts with budgets, when a rollout wakes by itself, and standing grants."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import studio.public_id

# until now each rollout was a tree of its own, and nothing was set aside
TREE_SUMS = "UPDATE studio_rollout SET tree_tokens = tokens_in + tokens_out, tree_usd = cost_usd"


def rollout_above(related_name: str) -> models.ForeignKey:
    return models.ForeignKey(
        db_index=False,
        null=True,
        on_delete=django.db.models.deletion.PROTECT,
        related_name=related_name,
        to="studio.rollout",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("studio", "0004_admin_rows"),
    ]

    operations = [
        migrations.CreateModel(
            name="StandingGrant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "public_id",
                    models.CharField(default=studio.public_id.new_grant_id, editable=False, max_length=32, unique=True),
                ),
                ("tool", models.CharField(max_length=200)),
                ("argument", models.CharField(blank=True, max_length=200)),
                ("value", models.JSONField(blank=True, null=True)),
                ("reason", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grants",
                        to="studio.agent",
                    ),
                ),
                (
                    "given_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grants",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="grants", to="studio.project"
                    ),
                ),
                (
                    "revoked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grants",
                        to="studio.ampsession",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("revoked_at", None)), fields=["project", "tool"], name="grant_standing"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("session__isnull", False), ("agent__isnull", False), _connector="OR"),
                        name="grant_is_of_a_session_or_an_agent",
                    )
                ],
            },
        ),
        migrations.AddField("rollout", "root", rollout_above("tree")),
        migrations.AddField("rollout", "parent", rollout_above("children")),
        migrations.AddField("rollout", "tree_tokens", models.BigIntegerField(default=0)),
        migrations.AddField("rollout", "tree_usd", models.FloatField(default=0.0)),
        migrations.AddField("rollout", "wake_at", models.BigIntegerField(default=0)),
        migrations.AddField("rollout", "reserved_tokens", models.PositiveBigIntegerField(default=0)),
        migrations.AddField("rollout", "reserved_usd", models.FloatField(default=0.0)),
        migrations.AddField("rollout", "budget_tokens", models.PositiveBigIntegerField(default=0)),
        migrations.AddField("rollout", "budget_usd", models.FloatField(default=0.0)),
        migrations.AddIndex(
            model_name="rollout",
            index=models.Index(condition=models.Q(("root__isnull", False)), fields=["root"], name="rollout_of_tree"),
        ),
        migrations.AddIndex(
            model_name="rollout",
            index=models.Index(
                condition=models.Q(("parent__isnull", False)), fields=["parent"], name="rollout_of_parent"
            ),
        ),
        migrations.AddConstraint(
            model_name="rollout",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("parent", None), ("root", None)),
                    models.Q(("parent__isnull", False), ("root__isnull", False)),
                    _connector="OR",
                ),
                name="rollout_has_a_root_and_a_parent_or_none",
            ),
        ),
        migrations.RunSQL(TREE_SUMS, migrations.RunSQL.noop),
    ]
