"""What became of an accepted event."""

from runtime.ports import Accepted
from studio.models import Event, PendingEvent


def state_of_accepted(accepted: Accepted) -> str:
    """`pending` in the queue, `recorded` in the trajectory, or `withdrawn`."""
    if PendingEvent.objects.filter(id=accepted.id).exists():
        return "pending"
    recorded = Event.objects.filter(rollout__public_id=accepted.rollout, id=accepted.id)
    return "recorded" if recorded.exists() else "withdrawn"
