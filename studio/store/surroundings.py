"""What an agent is told of others when its rollout starts; it stays so for the whole rollout."""

from collections.abc import Collection, Mapping
from typing import Any

from studio.models import Agent, AmpSession


def descriptions_of(project: str, names: Collection[str]) -> dict[str, str]:
    """What these agents of the project say of themselves, by name."""
    if not names:
        return {}
    found = Agent.objects.filter(project__public_id=project, name__in=names).open()
    return dict(found.values_list("name", "description"))


def metadata_of(session: str) -> Mapping[str, Any]:
    """What is kept with the session; empty if there is none yet."""
    return AmpSession.objects.filter(public_id=session).values_list("metadata", flat=True).first() or {}


def shared_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The values that every rollout of the session may read."""
    match metadata:
        case {"workflow": {"shared": {**values}}}:
            return {str(name): value for name, value in values.items()}
        case _:
            return {}


def interruptible(metadata: Mapping[str, Any], agent: str) -> frozenset[str]:
    """The agents that the session's workflow lets this one interrupt."""
    match metadata:
        case {"workflow": {"may_interrupt": {**lists}}} if isinstance(names := lists.get(agent), list | tuple):
            return frozenset(name for name in names if isinstance(name, str))
        case _:
            return frozenset()
