"""A text that was cut can be read on."""

from runtime.tools.registry import Registry
from tests.tools.calling import Desk, KeptTexts


def reader(registry: Registry, **texts: str) -> Desk:
    return Desk({tool.spec.name: tool for tool in registry.framework_tools()}, KeptTexts(texts))


async def test_an_artifact_is_read_piece_by_piece(registry: Registry):
    desk = reader(registry, ar_1="다리 leg bench")

    assert await desk.call("read_artifact", id="ar_1", limit=6) == (
        "다리 leg\n[6 of 12 characters follow: read on with offset 6]"
    )
    assert await desk.call("read_artifact", id="ar_1", offset=6) == " bench"
    assert await desk.call("read_artifact", id="ar_1", offset=50) == "[ar_1 has 12 characters, and ends before 50]"


async def test_an_artifact_of_another_rollout_is_not_there(registry: Registry):
    assert await reader(registry).refusal("read_artifact", id="ar_2") == "there is no artifact ar_2 in this rollout"


def test_no_agent_file_grants_the_framework_s_own_call(registry: Registry):
    assert "read_artifact" not in registry.names
    assert registry.tool("read_artifact").spec.framework
