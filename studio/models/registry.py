"""The tools that a project has of its own, and the API documents and MCP servers that they come from."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from runtime.domain.tool import DEFAULT_TIMEOUT_SECONDS
from studio.models.accounts import Project, User
from studio.public_id import new_tool_id, new_tool_source_id


class ToolSourceQuerySet(models.QuerySet["ToolSource"]):
    def visible_to(self, user: User) -> Self:
        """The sources of the user's projects."""
        return self.filter(project__in=Project.objects.visible_to(user))


class ToolSource(models.Model):
    """An API document or a tool server. Agent files name it.

    `settings`: `base_url` and `auth` of a document; `url` and `auth` of a server; `command`, `args` and `secrets` of a
    program. `document` is the text of an API document. `accepted_sha256` pins what a server said of its tools when a
    person accepted them; `found` is what it says since, until somebody looks at it. `fault`: why it cannot be reached.
    """

    class Kind(models.TextChoices):
        OPENAPI = "openapi", "API document"
        MCP = "mcp", "MCP server"
        PROGRAM = "program", "MCP program"

    public_id = models.CharField(max_length=32, unique=True, default=new_tool_source_id, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="tool_sources")
    name = models.CharField(max_length=64)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    settings = models.JSONField(default=dict)
    document = models.TextField(blank=True)
    accepted_sha256 = models.CharField(max_length=64, blank=True)
    found = models.JSONField(null=True, blank=True)
    fault = models.CharField(max_length=500, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ToolSourceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="tool_source_name_once_per_project"),
            models.CheckConstraint(
                condition=Q(kind__in=["openapi", "mcp", "program"]), name="tool_source_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_changed(self) -> bool:
        """Whether its tools are closed until somebody accepts what it says of them now."""
        return self.found is not None


class ToolQuerySet(models.QuerySet["Tool"]):
    def visible_to(self, user: User) -> Self:
        """The tools of the user's projects."""
        return self.filter(project__in=Project.objects.visible_to(user))


class Tool(models.Model):
    """A tool of the project. `original` is its name in the document or on the server that it comes from.

    `form` is what an HTTP tool sends; empty for a tool of a server. `approval`, `timeout_seconds` and `retries` are
    the usual rules: an agent file can be stricter, not looser. `labels` are of `runtime.domain.tool.Label`.
    """

    public_id = models.CharField(max_length=32, unique=True, default=new_tool_id, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="tools")
    source = models.ForeignKey(ToolSource, on_delete=models.CASCADE, null=True, blank=True, related_name="tools")
    name = models.CharField(max_length=64)
    original = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField()
    schema = models.JSONField(default=dict)
    form = models.JSONField(default=dict, blank=True)
    access = models.CharField(max_length=5, default="write")
    idempotent = models.BooleanField(default=False)
    timeout_seconds = models.FloatField(default=DEFAULT_TIMEOUT_SECONDS)
    retries = models.PositiveSmallIntegerField(default=0)
    approval = models.CharField(max_length=500, default="never")
    labels = models.JSONField(default=list, blank=True)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    objects = ToolQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="tool_name_once_per_project"),
            models.UniqueConstraint(fields=["source", "original"], name="tool_once_per_source"),
            models.CheckConstraint(condition=Q(access__in=["read", "write"]), name="tool_access_is_known"),
        ]

    def __str__(self) -> str:
        return self.title or self.name
