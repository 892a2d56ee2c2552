"""A message to an agent whose rollout has ended: a new rollout in the same session, once, whoever else writes."""

from dataclasses import dataclass, replace

from runtime.ports import Accepted, Arrival, NewRollout
from studio.models import AmpSession, Rollout
from studio.store.absent import NotThere
from studio.store.accepting import Accept
from studio.store.batch import Batch, Needs
from studio.store.creating import agent_in, insert_rollout
from studio.store.keys import KeyUse, used_before
from studio.store.row import ENDED


@dataclass(frozen=True, slots=True)
class ContinueSession:
    """Accepts `arrival` in `new`, or in the agent's rollout that somebody else has made meanwhile.

    Raises NotThere, QueueFull, KeyReused.
    """

    new: NewRollout
    arrival: Arrival

    def run(self, batch: Batch) -> Accepted:
        info, arrival = self.new.info, self.arrival
        use = KeyUse(arrival.sender, arrival.route, arrival.key, arrival.body_sha256)
        if use.key:
            batch.read(Needs(keys={use.digest}))
            if first := used_before(batch, use):
                return Accepted(id=first.event_id, rollout=first.rollout, repeated=True)
        session = AmpSession.objects.using(batch.alias).kept().filter(public_id=info.session).first()
        if session is None:
            raise NotThere(f"session {info.session}")
        batch.read_all_of(session.pk)
        agent = agent_in(batch, session.project_id, info.agent)
        mine = Rollout.objects.using(batch.alias).filter(session=session, agent=agent, parent=None)
        newest = mine.order_by("-pk").first()
        if newest is not None and newest.lifecycle not in ENDED:
            return Accept(replace(arrival, rollout=newest.public_id)).apply(batch)
        insert_rollout(batch, session, agent, self.new)
        return Accept(arrival).apply(batch)
