"""The refund story over AMP: Maya, a customer, and Priya, a colleague who supervises, with real timers and pauses."""

import json
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.amp import Amp, sign_up
from tests.server import StudioServer

DAMAGE = "Hi, the bench I ordered arrived with a cracked leg"
ORDER = "It's order 48213. The front leg is split."
INSTEAD = "Wait, I'd rather keep it. Can you send a new leg and refund part of the price?"
ADDRESS = "Also, my address has changed since I ordered."
REASON = "A good customer, and 40% would allow it."
DESK = "refund-desk"
MID_SENTENCE = 80  # characters of the half-made answer that were to be read when Maya presses Stop
SECONDS = 60  # far more than any part takes; the longest is the timer's 20


@dataclass(slots=True)
class RefundStory:
    """One telling of it. `session` and `asked`, the approval as Priya is shown it, come with the story."""

    maya: Amp
    priya: Amp
    session: str = ""
    asked: dict[str, Any] | None = None

    def tell(self) -> None:
        """From the first word to the final state."""
        self.complain()
        self.stop_in_mid_sentence()
        self.ask_for_a_leg_instead()
        self.see_what_is_asked()
        self.approve(75)
        self.wait_for_the_carrier()

    def complain(self) -> None:
        self.session = self.maya.start(DESK, DAMAGE)["id"]
        self.until(lambda events: told(events, "agent.output") == 1 and ends_a_step(events))

    def stop_in_mid_sentence(self) -> None:
        self.maya.say(self.session, ORDER)
        self.until(lambda events: told(events, "step.started") == 3)
        self._read_on_to(MID_SENTENCE)
        status, accepted = self.maya.call("POST", f"/sessions/{self.session}/events", {"type": "user.interrupt"})
        assert status == 202, accepted
        self.until(lambda events: told(events, "user.interrupt") == 1)

    def ask_for_a_leg_instead(self) -> None:
        """Two other agents look, the desk makes an offer, and takes a new address while a person has to decide."""
        self.maya.say(self.session, INSTEAD)
        self.until(lambda events: told(events, "approval.request") == 1)
        self.maya.say(self.session, ADDRESS)
        self.until(lambda events: told(events, "agent.output") == 5 and ends_a_step(events))

    def see_what_is_asked(self) -> None:
        """Priya looks at what waits for her."""
        _, found = self.priya.call("GET", "/approvals?state=pending")
        self.asked = found["approvals"][0]

    def approve(self, amount: int) -> None:
        """Priya decides, with another amount than the desk had in mind."""
        status, decided = self.decide(self.priya, amount)
        assert status == 200, decided

    def decide(self, person: Amp, amount: int) -> tuple[int, Any]:
        """What the studio answers to that person's leave."""
        assert self.asked is not None
        body = {
            "verdict": "approve",
            "args": {"order_id": "48213", "amount": amount, "reason": "Front leg split. The customer keeps the bench."},
            "args_sha256": self.asked["args_sha256"],
            "reason": REASON,
        }
        return person.call("POST", f"/approvals/{self.asked['id']}", body)

    def wait_for_the_carrier(self) -> None:
        """Until the timer has gone off and everything is settled."""
        self.until(lambda events: told(events, "rollout.completed") == 1)

    def until(self, is_so: Callable[[list[dict[str, Any]]], bool]) -> None:
        """Wait until that is so of the recorded events."""
        deadline = time.monotonic() + SECONDS
        while not is_so(events := self.priya.events(self.session)):
            if time.monotonic() > deadline:
                raise AssertionError(f"the story stands still after {[event.get('type') for event in events]}")
            time.sleep(0.1)

    def _read_on_to(self, characters: int) -> None:
        """Follow the session as Maya does, until that much of an answer is there."""
        last = self.maya.events(self.session)[-1]["pos"]
        address = f"{self.maya.url}/amp/v1/sessions/{self.session}/stream?after={last}"
        request = urllib.request.Request(address, headers=self.maya.headers)
        with urllib.request.urlopen(request, timeout=SECONDS) as stream:
            for line in stream:
                frame = json.loads(line.removeprefix(b"data:")) if line.startswith(b"data:") else {}
                if frame.get("kind") == "output" and frame["offset"] + len(frame["text"]) >= characters:
                    return
        raise AssertionError("the stream ended before the answer was there")


def two_people(server: StudioServer) -> RefundStory:
    """Maya and Priya, new to that studio."""
    return RefundStory(sign_up(server, "maya"), sign_up(server, "priya", "supervisor"))


def of_desk(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The refund desk's own events, in order."""
    return [event for event in events if event.get("agent") == DESK]


def told(events: list[dict[str, Any]], type_: str) -> int:
    """How often the refund desk has an event of that type."""
    return sum(event.get("type") == type_ for event in of_desk(events))


def ends_a_step(events: list[dict[str, Any]]) -> bool:
    """Whether the refund desk speaks no more."""
    return of_desk(events)[-1].get("type") == "step.completed"
