"""Views of the tables that have a composite key, for Django's admin, which cannot show such tables themselves."""

from django.db import models

from studio.models.rollouts import Rollout


class EventRow(models.Model):
    """An event under one key, ROLLOUT-SEQ. `at` is in microseconds."""

    id = models.TextField(primary_key=True)
    rollout = models.ForeignKey(Rollout, on_delete=models.DO_NOTHING, related_name="+")
    seq = models.PositiveIntegerField()
    pos = models.PositiveIntegerField()
    type = models.PositiveSmallIntegerField()
    payload = models.TextField()
    at = models.BigIntegerField()
    source = models.TextField()
    step = models.PositiveIntegerField(null=True)
    cause = models.PositiveIntegerField(null=True)

    class Meta:
        managed = False
        db_table = "studio_event_row"
        verbose_name = "event"

    def __str__(self) -> str:
        return self.id


class ArtifactRow(models.Model):
    """An artifact under one key, ROLLOUT-ID."""

    id = models.TextField(primary_key=True)
    rollout = models.ForeignKey(Rollout, on_delete=models.DO_NOTHING, related_name="+")
    text = models.TextField()

    class Meta:
        managed = False
        db_table = "studio_artifact_row"
        verbose_name = "artifact"

    def __str__(self) -> str:
        return self.id
