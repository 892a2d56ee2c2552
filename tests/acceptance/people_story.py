"""The scripted story with people and agents in it: leave, a timer, sub-agents, what goes on behind, and its undoing."""

import json
from dataclasses import dataclass

from tests.acceptance.ledger import Ledger
from tests.amp import Amp
from tests.model_server.process import ModelServerProcess
from tests.model_server.reply import Reply, calls, say
from tests.model_server.script import when

DESK = """\
name: desk
model: scripted
system_prompt: You are the desk.
tools:
  - name: http_get
    mode: async
  - name: http_request
    approval: args.url.contains("/paid/")
    approvers: [supervisors]
    rollback: http_get
  - name: make_directory
    fallback: delete_file
agents: [finder, {name: scout, mode: background}]
states:
  initial: open
  variables: {order: {type: string, default: ""}}
  open: {transitions: [{to: working, guard: vars.order != ""}]}
  working: {transitions: [{to: closing, approval: always}]}
  closing: {transitions: [{to: working}]}
"""
HELPER = """\
name: %(name)s
description: Helps as a %(name)s
model: scripted
system_prompt: You are the %(name)s.
tools:
  - http_get
  - name: http_request
    rollback: http_get
"""
FILE_IN_THE_WAY = "notes"
OUTPUTS = ("It is under way.", "It is paid.", "All is done.")


@dataclass(frozen=True, slots=True)
class PeopleStory:
    """What each agent's model answers, step by step.

    desk 0: moves on, asks the finder, acts · 1: sends out the scout, looks behind · 2: says so · 3 (the scout is back):
    pays, if it may, and makes a folder where a file lies, which falls back to deleting it · 4: says so · 5 (what went
    on behind is done): wants to close, if it may · 6: says so.
    """

    ledger: Ledger

    def _get(self, name: str) -> tuple[str, str]:
        return "http_get", json.dumps({"url": f"{self.ledger.url}/read/{name}"})

    def act(self, name: str) -> tuple[str, str]:
        return "http_request", json.dumps({"method": "POST", "url": f"{self.ledger.url}/act/{name}"})

    def replies(self) -> dict[str, list[Reply]]:
        start = {"to": "working", "set": {"order": "48213"}, "reason": "the order is known"}
        return {
            "desk": [
                calls(
                    ("update_rollout_state", start),
                    ("invoke_finder", {"task": "Find the leg."}),
                    self.act("one"),
                    text="Let me see.",
                ),
                calls(("invoke_scout", {"task": "Look around."}), self._get("held-behind")),
                say(OUTPUTS[0]),
                calls(self.act("paid/60"), ("make_directory", {"path": FILE_IN_THE_WAY})),
                say(OUTPUTS[1]),
                calls(("update_rollout_state", {"to": "closing"})),
                say(OUTPUTS[2]),
            ],
            "finder": [
                calls(("set_timer", {"after_seconds": 0.2, "note": "ask again"}), self._get("held-finder")),
                calls(self.act("finder")),
                say("In Tilburg."),
            ],
            "scout": [calls(self._get("held-scout")), calls(self.act("scout")), say("Nobody there.")],
        }

    def tell(self, model: ModelServerProcess) -> None:
        """The answer depends on who asks, and on the number of answers before: what is asked again is answered so."""
        rules = [
            when(reply, system_contains=f"You are the {agent}.", answers=number)
            for agent, replies in self.replies().items()
            for number, reply in enumerate(replies)
        ]
        model.script(rules=tuple(rules))

    def publish(self, amp: Amp) -> None:
        for name in ("finder", "scout", "desk"):
            text = DESK if name == "desk" else HELPER % {"name": name}
            status, answer = amp.call("PUT", f"/agents/{name}", text.encode())
            assert status in (200, 201), answer
            status, answer = amp.call("POST", f"/agents/{name}/publish", {"note": "for the test"})
            assert status == 200, answer
