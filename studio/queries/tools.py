"""Reads of the tools of projects, and of what they come from, for people who may write them."""

from django.db.models import QuerySet

from studio.models import Project, Tool, ToolSource, User
from studio.rights import Right


def tools_for(viewer: User) -> QuerySet[Tool]:
    """The tools of the projects that the viewer may write in; of a name that several have, the oldest one's first."""
    written = Project.objects.with_right(viewer, Right.WRITE_AGENTS)
    return Tool.objects.filter(project__in=written).select_related("source", "project").order_by("project", "name")


def tool_sources_for(viewer: User) -> QuerySet[ToolSource]:
    """The documents and servers of the projects that the viewer may write in."""
    written = Project.objects.with_right(viewer, Right.WRITE_AGENTS)
    return ToolSource.objects.filter(project__in=written).select_related("project")
