"""Says back what it was told, slowly enough to be watched and stopped."""

from runtime.ports import ModelRequest
from runtime.providers.playbook import Line
from runtime.providers.playbooks.reading import scene


def echo(request: ModelRequest) -> Line:
    """One line, made of the newest message."""
    now = scene(request)
    if now.was_stopped:
        return Line("I stopped. Nothing else was done.", pause=0.02)
    said = now.said or "nothing yet"
    return Line(f"You said: {said}", pause=0.03)
