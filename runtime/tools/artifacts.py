"""Reading on in a text that was too large to show whole."""

from typing import Annotated

from pydantic import Field

from runtime.ports import ToolContext, ToolFailed
from runtime.tools.declaration import tool


@tool(framework=True)
async def read_artifact(
    context: ToolContext,
    id: str,
    offset: Annotated[int, Field(ge=0)] = 0,
    limit: Annotated[int, Field(ge=1, le=30_000)] = 20_000,
) -> str:
    """Read on in a large result or message, of which only the beginning was shown.

    Args:
        id: The id that stands where the text was cut.
        offset: The character to begin with, counted from 0.
        limit: How many characters to read at most.
    """
    found = await context.artifacts.read(id, offset, limit)
    if found is None:
        raise ToolFailed(f"there is no artifact {id[:80]} in this rollout", retryable=False)
    text, length = found
    if not text:
        return f"[{id} has {length} characters, and ends before {offset}]"
    end = offset + len(text)
    return (
        text if end >= length else f"{text}\n[{length - end} of {length} characters follow: read on with offset {end}]"
    )
