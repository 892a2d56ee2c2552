"""`/live/several`: one act of a supervisor on several rollouts, asked once, with what could not be done in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from studio.errors import NotAllowed, NotThereAny, Refused, StudioError
from studio.models import Rollout, User
from studio.queries.live import live_rollouts, supervised_rollouts, supervises_somewhere
from studio.queries.playground import title_of
from studio.services.audit import Actor
from studio.services.client_event import ClientEvent
from studio.services.control import control_rollout
from studio.services.messages import post_event
from studio.web.person import person
from studio.web.posted import posted_from
from studio.web.posts import key_of, text_of

MOST_NAMES = 8
DONE = "live-done"  # of the browser session: what the next page says
ASKED = {
    "pause": (
        "Pause",
        "What runs ends first. Then nothing new starts, and messages wait, until somebody resumes them.",
    ),
    "resume": ("Resume", "They go on where they stopped."),
    "cancel": (
        "Cancel",
        "They end, with the agents that they called. What they did is undone only where the agent file says how.",
    ),
    "instruct": ("Instruct", "Each of them reads the same words."),
}
ONE = {
    "pause": "What runs ends first. Then nothing new starts, and messages wait, until somebody resumes it.",
    "resume": "It goes on where it stopped.",
    "cancel": "It ends, with the agents that it called. What it did is undone only where the agent file says how.",
    "instruct": "It reads these words.",
}
DID = {"pause": "Paused", "resume": "Resumed", "cancel": "Cancelled", "instruct": "Instructed"}


@dataclass(frozen=True, slots=True)
class Several:
    """What is to be done to which rollouts, before anybody has said yes. `everything`: not chosen one by one."""

    action: str
    rollouts: Sequence[Rollout]
    everything: bool = False
    key: str = ""

    @property
    def count(self) -> str:
        return counted(len(self.rollouts))

    @property
    def word(self) -> str:
        return ASKED[self.action][0]

    @property
    def explained(self) -> str:
        more = " Those that only wait for a message are left as they are." if self.everything else ""
        return (ONE[self.action] if len(self.rollouts) == 1 else ASKED[self.action][1]) + more

    @property
    def names(self) -> list[str]:
        return [name_of(rollout) for rollout in self.rollouts[:MOST_NAMES]]

    @property
    def others(self) -> int:
        return max(0, len(self.rollouts) - MOST_NAMES)


@posted_from("live")
def live_several(request: HttpRequest) -> HttpResponse:
    """Asks once, in a dialog; the dialog's own form says `sure`."""
    user = person(request)
    if not supervises_somewhere(user):
        raise NotAllowed("watch what agents do now", "a supervisor")
    try:
        several = _several(request.POST, user)
    except NotThereAny as error:
        return _ask(request, {"problem": str(error)}, error.status)
    if not request.POST.get("sure"):
        return _ask(request, {"several": several})
    request.session[DONE] = _do(request, several)
    return redirect("live")


def _ask(request: HttpRequest, context: Mapping[str, Any], status: int = 200) -> HttpResponse:
    """The dialog alone for the page's script, else a page with it."""
    part = request.headers.get("HX-Request") == "true"
    return render(
        request, "live/_several.html" if part else "live/several.html", {**context, "part": part}, status=status
    )


def counted(count: int) -> str:
    return f"{count} rollout" if count == 1 else f"{count} rollouts"


def name_of(rollout: Rollout) -> str:
    """As the list shows it."""
    return f"{rollout.agent.name}, {title_of(rollout.session)}"


def _several(posted: QueryDict, user: User) -> Several:
    """Raises Refused, NotThereAny."""
    action = posted.get("action", "")
    if action not in ASKED:
        raise Refused(f"There is no action {action[:60]!r} for several rollouts. Choose one of: {', '.join(ASKED)}.")
    everything = bool(posted.get("everything"))
    if everything:
        found = list(live_rollouts(user).exclude(lifecycle__in=("paused", "failed")).order_by("pk"))
    else:
        found = list(supervised_rollouts(user).filter(public_id__in=posted.getlist("chosen")).order_by("pk"))
    if not found:
        raise NotThereAny("Nothing runs that could be paused." if everything else "None of the chosen still goes on.")
    return Several(action, found, everything, posted.get("key") or uuid4().hex)


def _do(request: HttpRequest, several: Several) -> dict[str, Any]:
    """What was done, and a sentence for each that it could not be done to; with those that have ended meanwhile."""
    failed: list[str] = []
    done: set[int] = set()
    for rollout in several.rollouts:  # who called another one stands before it
        try:
            if several.action == "instruct":
                _instruct(request, rollout)
            elif rollout.parent_id not in done:  # what is done to the caller reaches this one as well
                _control(request, rollout, several.action)
            done.add(rollout.pk)
        except StudioError as error:
            failed.append(f"{name_of(rollout)}: {error}")
    gone = len(set(request.POST.getlist("chosen"))) - len(several.rollouts)
    if not several.everything and gone > 0:
        failed.append(f"{counted(gone)} ended before that.")
    return {"said": f"{DID[several.action]} {counted(len(several.rollouts) - len(failed))}.", "failed": failed}


def _instruct(request: HttpRequest, rollout: Rollout) -> None:
    payload = {"queued": request.POST.get("when") == "later"}
    event = ClientEvent("supervisor.instruction", text_of(request, "content"), rollout.public_id, payload=payload)
    post_event(person(request), rollout.session, event, _key(request, rollout))


def _control(request: HttpRequest, rollout: Rollout, action: str) -> None:
    reason, origin = text_of(request, "reason"), Actor.of(request).origin
    control_rollout(person(request), rollout, action, reason, _key(request, rollout), origin=origin)


def _key(request: HttpRequest, rollout: Rollout) -> str:
    return f"{key_of(request)}:{rollout.public_id}"
