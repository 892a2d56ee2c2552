"""The kinds of sources: the one table. A kind's name is that of its field in a trigger of an agent file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.ports import Source
from runtime.tools.outbound.client import GuardedClient
from studio.sources.feed import Feed
from studio.sources.folder import WatchedFolder

type Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a source may use: the folder of all workspaces, and the one way out to the network."""

    workspaces: Path
    client: GuardedClient


@dataclass(frozen=True, slots=True)
class Kind:
    """`make` gives the source of a trigger's settings; `example` is a body to try the agent with."""

    make: Callable[[Settings, Surroundings], Source]
    example: Mapping[str, Any]


KINDS: Mapping[str, Kind] = {
    "folder": Kind(
        lambda settings, here: WatchedFolder(here.workspaces, settings["path"], settings["pattern"]),
        {"path": "inbox/example.pdf", "name": "example.pdf", "size": 48213},
    ),
    "feed": Kind(
        lambda settings, here: Feed(here.client, settings["url"], settings["every_seconds"]),
        {"title": "An example", "link": "https://news.example/1", "summary": "What an entry looks like."},
    ),
}
