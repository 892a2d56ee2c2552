"""Trajectories told by hand: payloads as the envelopes that a viewer is shown."""

from typing import Any

from runtime.domain.events import (
    AgentOutput,
    Payload,
    RolloutStarted,
    StepAborted,
    StepCompleted,
    StepStarted,
    ToolRequest,
    ToolResult,
    ToolStarted,
    UserInput,
)
from runtime.domain.trajectory import AGENT, NO_PREDECESSOR, Draft, place
from studio.queries.shown import Placed, shown_to
from studio.queries.viewer import Viewer
from studio.web.conversation import conversation

MIA = Viewer("u_mia", "Mia", is_participant=True, reads_others=False, supervises=False)
SUE = Viewer("u_sue", "Sue", is_participant=False, reads_others=True, supervises=True)
START = RolloutStarted(agent="tutor", agent_version=1)


def said(text: str, by: str = "u_mia") -> Draft:
    return Draft(UserInput(content=text, name=by.removeprefix("u_").title()), by)


def began(step: int, attempt: int = 1) -> Draft:
    return Draft(StepStarted(attempt=attempt, model="m", seen=1, prompt_sha256="0" * 64), step=step)


def ended(step: int, **fields: Any) -> Draft:
    return Draft(StepCompleted(tokens_in=10, tokens_out=5, **fields), step=step)


def aborted(step: int, why: str, **fields: Any) -> Draft:
    return Draft(StepAborted(why=why, **fields), step=step)


def words(step: int, text: str, **fields: Any) -> Draft:
    return Draft(AgentOutput(content=text, **fields), AGENT, step)


def called(call_id: str, tool: str = "look_up", **args: Any) -> Draft:
    return Draft(ToolRequest(call_id=call_id, tool=tool, args=args), AGENT, int(call_id[0]))


def ran(call_id: str, attempt: int = 1) -> Draft:
    return Draft(ToolStarted(call_id=call_id, attempt=attempt), step=int(call_id[0]))


def answered(call_id: str, status: str = "ok", content: str = "found", **fields: Any) -> Draft:
    return Draft(ToolResult(call_id=call_id, status=status, content=content, **fields), step=int(call_id[0]))


def told(*happened: Draft | Payload, viewer: Viewer = SUE) -> list[dict[str, Any]]:
    """Envelopes of one rollout, from its start."""
    drafts = [item if isinstance(item, Draft) else Draft(item) for item in (START, *happened)]
    events = [place(draft, seq, 1_700_000_000_000_000 + seq, NO_PREDECESSOR) for seq, draft in enumerate(drafts, 1)]
    envelopes = [shown_to(Placed("s_1", "r_1", "tutor", event), viewer) for event in events]
    return [envelope | {"pos": envelope["seq"]} for envelope in envelopes]


def talk(*happened: Draft | Payload, viewer: Viewer = SUE) -> list[Any]:
    """The conversation that they make."""
    return conversation(told(*happened, viewer=viewer), viewer)
