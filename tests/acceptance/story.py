"""The scripted six-step turn: parallel tools, writes, and a message that comes meanwhile."""

import json
from dataclasses import dataclass

from tests.acceptance.ledger import Ledger
from tests.amp import Amp
from tests.model_server.process import ModelServerProcess
from tests.model_server.reply import Reply, calls, say
from tests.model_server.script import when

AGENT = """\
name: worker
model: scripted
system_prompt: You work through the list.
tools:
  - http_get
  - name: http_request
    idempotent: {idempotent}
limits: {{max_tool_calls: 50}}
"""


@dataclass(frozen=True, slots=True)
class Story:
    """What the model does, step by step, with tools that act on the ledger."""

    ledger: Ledger

    def _get(self, name: str) -> tuple[str, str]:
        return "http_get", json.dumps({"url": f"{self.ledger.url}/read/{name}"})

    def _act(self, name: str) -> tuple[str, str]:
        return "http_request", json.dumps({"method": "POST", "url": f"{self.ledger.url}/act/{name}"})

    def replies(self) -> list[Reply]:
        return [
            calls(self._get("a"), self._get("b"), self._get("c"), text="Let me look."),
            calls(self._act("one")),
            calls(self._get("d"), self._act("two"), text="한국어 🙂"),
            calls(self._get("held"), self._get("f")),
            calls(self._act("three")),
            say("All is done."),
        ]

    def tell(self, model: ModelServerProcess) -> None:
        """The answer depends on the number of answers before, so that one that is asked again is the same."""
        rules = tuple(when(reply, answers=number) for number, reply in enumerate(self.replies()))
        model.script(rules=rules)

    def publish(self, amp: Amp, *, idempotent: bool) -> None:
        text = AGENT.format(idempotent=str(idempotent).lower()).encode()
        status, answer = amp.call("PUT", "/agents/worker", text)
        assert status in (200, 201), answer
        status, answer = amp.call("POST", "/agents/worker/publish", {"note": "for the test"})
        assert status == 200, answer
