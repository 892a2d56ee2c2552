"""Category interrupt: what breaks in."""

from typing import ClassVar, Literal

from runtime.domain.events.base import Category, Payload, Text


class Interrupt(Payload):
    """Something that breaks in."""

    category: ClassVar[Category] = Category.INTERRUPT
    wakes: ClassVar[bool] = True


class SupervisorInstruction(Interrupt):
    """An order of a supervisor; `queued` if it was sent for when the step ends."""

    type: Literal["supervisor.instruction"] = "supervisor.instruction"
    content: Text
    by: Text = ""
    queued: bool = False

    @property
    def is_urgent(self) -> bool:
        return not self.queued


class UserInterrupt(Interrupt):
    """A person's Stop. With text it is answered; with a `call_id` it stops that call alone.

    `respond`: whether a bare stop may be followed by a short account of the model.
    """

    type: Literal["user.interrupt"] = "user.interrupt"
    content: Text = ""
    name: Text = ""
    call_id: str = ""
    respond: bool = True

    @property
    def is_urgent(self) -> bool:
        return True

    @property
    def is_bare(self) -> bool:
        """A stop of the turn without words."""
        return not self.call_id and not self.content.strip()


class AgentInterruptReceived(Interrupt):
    """Another agent breaks in, in the turn of `owner`.

    `untrusted`, `untrusted_by`, `private_by`: as of `agent.input`.
    """

    type: Literal["agent.interrupt.received"] = "agent.interrupt.received"
    content: Text = ""
    from_rollout: str = ""
    name: Text = ""
    hops: int = 0
    owner: str = ""
    owner_name: Text = ""
    untrusted: bool = False
    untrusted_by: Text = ""
    private_by: Text = ""

    @property
    def is_urgent(self) -> bool:
        return True


class TimerTrigger(Interrupt):
    """A timer went off. `due_at` and `next_due` (of one that repeats) in microseconds.

    `missed` = how many times it was due while nothing ran.
    """

    type: Literal["timer.trigger"] = "timer.trigger"
    timer_id: str
    note: Text = ""
    due_at: int = 0
    missed: int = 0
    next_due: int = 0
    urgent: bool = False

    @property
    def is_urgent(self) -> bool:
        return self.urgent
