"""The prompt and changes tabs of the detail pane."""

from typing import Any

from studio.errors import NotAllowed
from studio.models import Rollout
from studio.queries.prompts import CannotRender, StepPrompt
from studio.queries.viewer import Viewer
from studio.services.audit import Actor
from studio.services.prompts import read_prompt
from studio.web.prompt_parts import changes_of, parts_of
from studio.web.trajectory_detail import Detail


def prompt_pane(actor: Actor, rollout: Rollout, viewer: Viewer, detail: Detail) -> dict[str, Any]:
    """`parts` and `changes` of the step's request, or `refusal`: a sentence why it is not shown."""
    assert detail.step is not None, "only a step has a prompt"
    try:
        prompt = read_prompt(actor, rollout, viewer, detail.step, _attempt(detail))
        if prompt is None:
            return {"refusal": "This model call has no recorded request."}
        before = _before(actor, rollout, viewer, detail.step)
    except NotAllowed:
        return {"refusal": "Prompts are shown to supervisors, and to an author in a session of their own."}
    except CannotRender as error:
        return {"refusal": str(error)}
    return {"parts": parts_of(prompt, before), "changes": changes_of(prompt, before) if before is not None else None}


def _attempt(detail: Detail) -> int | None:
    """The attempt at which one stands; None = the last."""
    attempt = None
    for event in detail.node.events:
        if event.get("type") == "step.started" and event["seq"] <= detail.seq:
            attempt = event["payload"].get("attempt")
    return attempt if detail.seq != detail.node.seq else None


def _before(actor: Actor, rollout: Rollout, viewer: Viewer, step: int) -> StepPrompt | None:
    return read_prompt(actor, rollout, viewer, step - 1) if step > 0 else None
