"""What an agent's text says of itself, for lists and for checks of other agents; read once a text."""

import re
from dataclasses import dataclass
from functools import lru_cache

from runtime.domain.agent_file import read_agent_file
from runtime.domain.definition import ToolGrant
from runtime.domain.yaml_node import MappingNode, ScalarNode, SequenceNode


@dataclass(frozen=True, slots=True)
class Facts:
    """Each is empty where the text does not say it in a way that can be read."""

    name: str = ""
    title: str = ""
    description: str = ""
    model: str = ""
    tags: tuple[str, ...] = ()
    invokes: tuple[str, ...] = ()
    tool_count: int = 0
    grants: tuple[ToolGrant, ...] = ()


@lru_cache(maxsize=256)
def facts_of(text: str) -> Facts:
    """What can be read of the text, also if other parts of it are wrong."""
    file = read_agent_file(text)
    root = file.document
    if root is None:
        return Facts()
    tools = root.get("tools")
    return Facts(
        name=_word(root, "name"),
        title=_word(root, "title")[:200],
        description=_word(root, "description"),
        model=_word(root, "model"),
        tags=tuple(tag for tag in _words(root, "tags") if tag),
        invokes=tuple(grant.name for grant in file.definition.agents) if file.definition else (),
        tool_count=len(tools.items) if isinstance(tools, SequenceNode) else 0,
        grants=file.definition.tools if file.definition else (),
    )


def _word(root: MappingNode, key: str) -> str:
    node = root.get(key)
    return _showable(node.value) if isinstance(node, ScalarNode) and isinstance(node.value, str) else ""


def _words(root: MappingNode, key: str) -> list[str]:
    node = root.get(key)
    items = node.items if isinstance(node, SequenceNode) else ()
    return [_showable(item.value) for item in items if isinstance(item, ScalarNode) and isinstance(item.value, str)]


def _showable(text: str) -> str:
    """JSON may escape characters that neither the database nor a page takes."""
    return re.sub("[\x00\ud800-\udfff]", "\ufffd", text)
