"""One message to a reader, as `amp.md` names it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class OutFrame:
    """`id` is the pos of a recorded event, and the cursor behind it; other frames have none."""

    event: str
    data: Mapping[str, Any]
    id: int | None = None

    def as_json(self, **more: Any) -> str:
        """For a WebSocket: `{"event", "id"?, "data"}`, and what a page's socket adds."""
        head: dict[str, Any] = {"event": self.event} if self.id is None else {"event": self.event, "id": self.id}
        return _dumped({**head, "data": self.data, **more})

    def as_sse(self) -> bytes:
        """For `text/event-stream`."""
        head = f"event: {self.event}\n" if self.id is None else f"id: {self.id}\nevent: {self.event}\n"
        return f"{head}data: {_dumped(self.data)}\n\n".encode()


_dumped = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # json.dumps makes an encoder each time
