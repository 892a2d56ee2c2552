"""Calling granted tools as the engine does."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from runtime.ports import Tool, ToolContext, ToolFailed
from runtime.tools.arguments import problem_with


class KeptTexts:
    """Artifacts of one rollout, in memory; fulfils `runtime.ports.Artifacts`."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    async def read(self, artifact_id: str, offset: int, limit: int) -> tuple[str, int] | None:
        text = self.texts.get(artifact_id)
        return None if text is None else (text[offset : offset + limit], len(text))


@dataclass
class Desk:
    """The tools of one agent. `notes` are what they reported on the way."""

    tools: Mapping[str, Tool]
    artifacts: KeptTexts = field(default_factory=lambda: KeptTexts({}))
    notes: list[str] = field(default_factory=list)

    async def call(self, name: str, *, attempt: int = 1, key: str = "ro_1:0.0", **args: Any) -> str:
        tool = self.tools[name]
        assert problem_with(tool.spec.schema, args) is None
        context = ToolContext(
            rollout="ro_1",
            session="se_1",
            project="pr_1",
            call_id="0.0",
            key=key,
            attempt=attempt,
            spec=tool.spec,
            artifacts=self.artifacts,
            progress=lambda done, total, note: self.notes.append(note),
        )
        return await tool.run(args, context)

    async def refusal(self, name: str, **args: Any) -> str:
        """The sentence of a call that must fail."""
        with pytest.raises(ToolFailed) as failed:
            await self.call(name, **args)
        return failed.value.sentence


async def seconds_to_stop(task: asyncio.Task[Any]) -> float:
    """Cancel a call and wait for its end, whatever that is."""
    started = time.monotonic()
    task.cancel()
    await asyncio.wait({task})
    return time.monotonic() - started


def text_of(path: Path) -> str:
    """What a file holds."""
    return path.read_text()


def texts_in(folder: Path) -> dict[str, str]:
    """What every file of a folder holds, by its name."""
    return {path.name: path.read_text() for path in folder.iterdir()}
