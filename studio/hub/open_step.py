"""The text so far of a half-made answer, for those who join in the middle of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class OpenBlock:
    """One block as it grows; `length` in code points."""

    kind: str
    parts: list[str] = field(default_factory=list)
    length: int = 0

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        if len(self.parts) > 1:
            self.parts = ["".join(self.parts)]
        return self.parts[0] if self.parts else ""


@dataclass(slots=True)
class OpenStep:
    """One attempt of a step in flight. `since` is the seq of its `step.started`; The rest as in `Delta`."""

    session: str
    agent: str
    since: int
    step: int
    attempt: int
    is_called: bool = False
    shows_thoughts: bool = False
    blocks: dict[int, OpenBlock] = field(default_factory=dict)

    def add(self, block: int, kind: str, text: str) -> None:
        known = self.blocks.get(block)
        if known is None:
            known = self.blocks[block] = OpenBlock(kind)
        known.add(text)

    def texts(self) -> Iterator[tuple[int, str, str]]:
        """(block, kind, text so far), in order."""
        for number, block in sorted(self.blocks.items()):
            yield number, block.kind, block.text
