"""Tools as a rollout has them: out of the registry, with an agent file's settings, called by name."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from runtime.domain.definition import ToolGrant
from runtime.tools.registry import Registry, discover
from tests.tools.calling import Desk

type Call = Callable[..., Awaitable[str]]


@pytest.fixture(scope="session")
def registry() -> Registry:
    return discover()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The workspace folder of the agent under test."""
    path = tmp_path / "workspaces" / "maya"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def desk(registry: Registry, folder: Path) -> Desk:
    """An agent with every tool, working in `folder`."""
    grants = [ToolGrant(name=name, settings={"workspace": folder.name}) for name in registry.groups]
    return Desk(registry.grant(grants, root=str(folder.parent)))
