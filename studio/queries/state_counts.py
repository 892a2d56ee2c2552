"""How many rollouts of an agent are in each of its business states."""

from django.db.models import Count

from studio.models import Agent, Rollout
from studio.queries.rollouts import ENDED


def rollouts_in_states(agent: Agent) -> dict[str, int]:
    """The number of rollouts by the state that they are in now, of all versions; those that have ended are nowhere."""
    found = Rollout.objects.filter(agent=agent).exclude(lifecycle__in=ENDED).exclude(business_state="")
    return dict(found.order_by().values_list("business_state").annotate(Count("pk")))
