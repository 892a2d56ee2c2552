"""Whose memory a turn may use: the first person in its batch, or whoever stands behind what woke it. Pure.

Source: runtime.md, 10. A timer brings the owner of the turn that set it, a trigger the one that it names, a task the
owner of the turn that gave it; never what an argument says.
"""

from typing import NamedTuple

from runtime.domain.dealings import Dealings
from runtime.domain.events import (
    AgentInput,
    AgentInterruptReceived,
    ExternalTrigger,
    Payload,
    SupervisorInstruction,
    TimerTrigger,
)


class Ownership(NamedTuple):
    """`owner` by public id, and `name` as shown; empty = nobody, then there is no personal memory.

    `since`: seq of the event with which this owner's time began; what was recalled before it is shown no more.
    `spoke_at`: seq of the first message of a person in the newest batch that has one.
    """

    owner: str = ""
    name: str = ""
    since: int = 0
    spoke_at: int = 0

    def spoken(self, person: str, name: str, seq: int, seen: int) -> "Ownership":
        """After a person's message. The batch belongs to the first of its people; `seen`: where it begins."""
        if self.spoke_at > seen:
            return self
        return self.passed(person, name, seq)._replace(spoke_at=seq)

    def passed(self, owner: str, name: str, seq: int) -> "Ownership":
        """With that owner from `seq` on."""
        if owner == self.owner:
            return self._replace(name=name or self.name)
        return Ownership(owner, name, seq, self.spoke_at)


def brought_by(payload: Payload, source: str, before: Ownership, dealings: Dealings) -> tuple[str, str]:
    """The owner (public id and name) of a turn that this opens, which no person of the conversation said."""
    match payload:
        case TimerTrigger(timer_id=timer_id):
            timer = next((timer for timer in dealings.timers if timer.id == timer_id), None)
            return (timer.owner, timer.owner_name) if timer is not None else (before.owner, before.name)
        case ExternalTrigger(user=user, user_name=name):
            return user, name
        case AgentInput(owner=owner, owner_name=name) | AgentInterruptReceived(owner=owner, owner_name=name):
            return owner, name
        case SupervisorInstruction(by=by):
            return source, by
        case _:
            return before.owner, before.name
