"""Python functions as tools: what installed packages offer under the entry point group `studio.tools`."""

import logging
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points

from runtime.tools.declaration import FunctionTool

GROUP = "studio.tools"

log = logging.getLogger(__name__)


def installed_tools() -> Iterator[FunctionTool]:
    """The functions declared with `@tool` that entry points name, or that stand in a module which one names.

    A package that cannot be loaded is left out, with a line in the log.
    """
    for point in sorted(
        entry_points(group=GROUP), key=lambda point: (point.dist.name if point.dist else "", point.name)
    ):
        yield from _of(point)


def _of(point: EntryPoint) -> Iterator[FunctionTool]:
    try:
        found = point.load()
    except Exception:  # whatever a package does when it is loaded, the studio starts
        log.exception("the tools of the entry point %s cannot be loaded", point.value)
        return
    values = [found] if isinstance(found, FunctionTool) else list(getattr(found, "__dict__", {}).values())
    tools = [value for value in values if isinstance(value, FunctionTool)]
    if not tools:
        log.error("the entry point %s has no function declared with @tool", point.value)
    yield from tools
