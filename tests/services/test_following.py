"""A rollout that follows an ended one carries on what that had read."""

import pytest

from runtime.domain.events import AgentOutput, FileRef, RolloutCancelled, UserInput
from runtime.domain.trajectory import AGENT, Draft
from studio.models import Rollout
from studio.rights import Role
from studio.services.client_event import ClientEvent
from studio.services.messages import post_event
from studio.store import trajectory
from tests.people import person
from tests.sessions import agent_with, record, rollout_of, session_of, step

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_the_last_answer_may_carry_is_recorded_at_the_start():
    author = person("aron", Role.AUTHOR)
    session = session_of(author, agent_with(author, "desk", ""))
    file = FileRef(id="f_1", name="a.txt", media_type="text/plain", bytes=2, head="hi")
    said = Draft(UserInput(content="read this", name="Aron", files=(file,)), author.public_id)
    answer = Draft(AgentOutput(content="It says hi."), AGENT, 0)
    record(rollout_of(session), [said, *step(answer), Draft(RolloutCancelled(by="Aron"))])

    post_event(author, session, ClientEvent("user.input", "and now?"))

    newest = Rollout.objects.filter(session=session).latest("pk")
    started = trajectory(newest.pk)[0].payload
    assert (started.previous_answer, started.untrusted_by) == ("It says hi.", "a file that Aron sent")
    assert started.private_by == ""
