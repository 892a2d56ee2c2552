"""Sign-in links of a running studio."""

from tests.server import StudioServer


def link_for(studio: StudioServer, name: str) -> str:
    """A fresh link for the person, at the port that the studio listens on."""
    return studio.manage("signin", name).strip().replace("http://127.0.0.1:8000", studio.url)
