"""Who sees which field of which event type: a line for each type."""

import pytest

from runtime.domain.events import TYPES
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, place
from studio.queries.shown import Placed, shown_to
from studio.queries.viewer import Viewer
from tests.payloads import built

HIDDEN = None
ALL: set[str] = set()
CALL = {"args", "result"}
AS_PARTICIPANT = "the same"

# type: what a participant does not see, what a reviewer does not see; an overseer sees all but a provider's own
READINGS = {"untrusted_by", "private_by"}
TABLE = {
    "user.input": (ALL, ALL),
    "agent.input": (
        {"content", "context", "vars", "owner", "owner_name", "memory", "namespace"} | READINGS,
        AS_PARTICIPANT,
    ),
    "tool.result": ({"content", "artifact", "memory"}, AS_PARTICIPANT),
    "external.trigger": ({"body", "key", "task", "artifact", "user", "user_name"}, AS_PARTICIPANT),
    "approval.decision": ({"edited_args", "result", "args_sha256"}, AS_PARTICIPANT),
    "memory.recalled": (HIDDEN, HIDDEN),
    "supervisor.instruction": (HIDDEN, HIDDEN),
    "user.interrupt": (ALL, ALL),
    "agent.interrupt.received": ({"content", "owner", "owner_name"} | READINGS, ALL),
    "timer.trigger": (ALL, ALL),
    "agent.thought": (HIDDEN, CALL),
    "agent.output": (CALL, CALL),
    "tool.request": ({"args", "args_raw"}, AS_PARTICIPANT),
    "approval.request": (ALL, {"args_sha256"}),
    "state.update": (CALL | {"set", "error", "reason"}, AS_PARTICIPANT),
    "agent.invocation": (CALL | {"task", "context"}, AS_PARTICIPANT),
    "agent.response": (CALL | {"content"}, AS_PARTICIPANT),
    "agent.message": (HIDDEN, CALL),
    "agent.interrupt": (HIDDEN, CALL),
    "agent.escalation": (CALL | {"reason", "question"}, CALL),
    "timer.set": (CALL, CALL),
    "timer.cancel": (CALL, CALL),
    "rollout.started": ({"vars"} | READINGS, AS_PARTICIPANT),
    "rollout.paused": (ALL, ALL),
    "rollout.resumed": (ALL, ALL),
    "rollout.moved": (ALL, ALL),
    "rollout.completed": (ALL, ALL),
    "rollout.failed": (ALL, ALL),
    "rollout.cancelled": (ALL, ALL),
    "step.started": (ALL, ALL),
    "step.completed": ({"opaque", "family"}, AS_PARTICIPANT),
    "step.aborted": (ALL, ALL),
    "tool.started": ({"why"}, AS_PARTICIPANT),
    "limit.reached": (ALL, ALL),
    "context.compacted": (ALL, ALL),
}
VIEWERS = {
    "participant": Viewer("u_mia", "Mia", is_participant=True, reads_others=False, supervises=False),
    "reviewer": Viewer("u_rita", "Rita", is_participant=False, reads_others=True, supervises=False),
    "author": Viewer("u_aron", "Aron", True, reads_others=False, supervises=False, own_agents=frozenset({"tutor"})),
    "supervisor": Viewer("u_sue", "Sue", is_participant=False, reads_others=True, supervises=True),
}


def left_out(type_: str, who: str) -> set[str] | None:
    participant, reviewer = TABLE[type_]
    if who in ("author", "supervisor"):
        return {"opaque", "family"} if type_ == "step.completed" else ALL
    return participant if who == "participant" or reviewer == AS_PARTICIPANT else reviewer


def test_every_type_has_its_line():
    assert TABLE.keys() == TYPES.keys()


@pytest.mark.parametrize("who", VIEWERS)
@pytest.mark.parametrize("type_", TYPES)
def test_each_role_sees_these_fields_of_each_type(type_, who):
    event = place(Draft(built(type_), "u_mia"), 7, 1_700_000_000_000_000, NO_PREDECESSOR)
    envelope = shown_to(Placed("s_1", "r_1", "tutor", event), VIEWERS[who])

    missing = left_out(type_, who)
    if missing is None:
        assert envelope == {"seq": 7, "pos": 0, "rollout": "r_1", "hidden": True}
    else:
        assert set(envelope["payload"]) == set(TYPES[type_].model_fields) - {"type"} - missing
