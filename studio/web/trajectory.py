"""`/rollouts/ID`: one trajectory, from the first event to the words that the model was shown."""

import json
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from studio.models import Rollout
from studio.queries.events import envelopes_of
from studio.queries.playground import status_of
from studio.queries.rollouts import ENDED, visible_rollouts
from studio.queries.viewer import viewer_of
from studio.services.audit import Actor, record
from studio.services.control import actions_for, control_rollout
from studio.web.fresh import is_fresh
from studio.web.person import person
from studio.web.prompt_pane import prompt_pane
from studio.web.trajectory_detail import answer_of, detail_of, raw_json
from studio.web.trajectory_page import Asked, TrajectoryPage


def rollout_or_404(request: HttpRequest, public_id: str) -> Rollout:
    found = visible_rollouts(person(request)).filter(public_id=public_id).first()
    if found is None:
        raise Http404(f"There is no rollout {public_id[:40]}, or you may not see it.")
    return found


@require_safe
def rollout(request: HttpRequest, public_id: str) -> HttpResponse:
    """The page; with htmx the detail pane or the rows alone, by the target."""
    page = page_of(request, public_id)
    context = page_context(request, page)
    target = request.headers.get("HX-Target", "")
    if target == "detail":
        return render(request, "trajectories/_detail.html", context | detail_context(request, page))
    if target == "trajectory-list":
        return render(request, "trajectories/_list.html", context)
    return render(request, "trajectories/show.html", context | detail_context(request, page))


@require_safe
def rollout_rows(request: HttpRequest, public_id: str) -> HttpResponse:
    """One window of rows, when it comes into view."""
    page = page_of(request, public_id)
    number = request.GET.get("window", "")
    window = page.window(int(number)) if number.isdecimal() and len(number) < 6 else None
    if window is None:
        raise Http404("There are no such rows.")
    return render(request, "trajectories/_window.html", page_context(request, page) | {"window": window})


@require_safe
def rollout_nested(request: HttpRequest, public_id: str, seq: int) -> HttpResponse:
    """The rows of the agent that was called at that seq, when its call is unfolded."""
    nested = page_of(request, public_id).nested(seq)
    if nested is None:
        raise Http404("No agent was called there.")
    return render(request, "trajectories/_nested_rows.html", {"nested": nested})


@require_safe
def rollout_growth(request: HttpRequest, public_id: str) -> HttpResponse:
    """The rows that changed since the event `?after=`, and the parts of the page that count; 204 if nothing did."""
    page = page_of(request, public_id)
    after = request.GET.get("after", "")
    seen = int(after) if after.isdecimal() and len(after) < 10 else 0
    if page.last_seq <= seen and page.rollout.lifecycle == request.GET.get("lifecycle") and not page.is_live:
        return HttpResponse(status=204)
    context = page_context(request, page) | {"changed": page.changed_since(seen)}
    return render(request, "trajectories/_growth.html", context)


@require_POST
def rollout_export(request: HttpRequest, public_id: str) -> HttpResponse:
    """The trajectory as JSON lines, as the person may see it; wants a fresh sign-in and is recorded."""
    found = rollout_or_404(request, public_id)
    if not is_fresh(request):
        back = urlencode({"next": reverse("rollout", args=[found.public_id])})
        return redirect(f"{reverse('sign-in-again')}?{back}")
    envelopes = envelopes_of(found, viewer_of(found.session, person(request)))
    record(Actor.of(request), "rollout.exported", found.public_id, after={"events": len(envelopes)})
    lines = "".join(json.dumps(envelope, ensure_ascii=False) + "\n" for envelope in envelopes)
    disposition = content_disposition_header(True, f"{found.public_id}.jsonl") or "attachment"
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(lines.encode(), content_type="application/x-ndjson", headers=headers)


@require_POST
def rollout_control(request: HttpRequest, public_id: str) -> HttpResponse:
    """Pause, resume, cancel or retry, as the person's rights allow."""
    found = rollout_or_404(request, public_id)
    action, reason = request.POST.get("action", ""), request.POST.get("reason", "")
    control_rollout(person(request), found, action, reason, origin=Actor.of(request).origin)
    return redirect("rollout", public_id)


def page_of(request: HttpRequest, public_id: str) -> TrajectoryPage:
    found = rollout_or_404(request, public_id)
    viewer = viewer_of(found.session, person(request))
    gap = request.GET.get("gap", "")
    known_gap = int(gap) if gap.isdecimal() and len(gap) < 16 else None
    return TrajectoryPage(found, envelopes_of(found, viewer), Asked.of(request.GET), viewer, known_gap)


def page_context(request: HttpRequest, page: TrajectoryPage) -> dict[str, Any]:
    """What every part of the page needs. `beside`: the detail is shown on the page of the rollout that called it."""
    query, is_beside = page.asked.query(), bool(request.GET.get("beside"))
    address = reverse("rollout", args=[page.rollout.public_id]) if is_beside else ""
    return {
        "page": page,
        "rollout": page.rollout,
        "status": status_of(page.rollout.lifecycle, page.rollout.waiting_for),
        "actions": actions_for(person(request), page.rollout),
        "ended": page.rollout.lifecycle in ENDED,
        "link": f"{address}?{query}&" if query else f"{address}?",
        "query": query,
        "beside": is_beside,
    }


def detail_context(request: HttpRequest, page: TrajectoryPage) -> dict[str, Any]:
    """What the detail pane needs; of its tabs only the chosen one is made."""
    if not page.asked.e:
        return {"detail": None}
    detail = detail_of(page, page.head, page.asked.tab)
    context: dict[str, Any] = {"detail": detail}
    if detail is None or detail.step is None:
        return context | ({"raw": raw_json(detail.raw)} if detail else {})
    if detail.tab in ("prompt", "changes"):
        context |= prompt_pane(
            Actor.of(request), page.rollout, viewer_of(page.rollout.session, person(request)), detail
        )
    if detail.tab == "answer":
        context["answer"] = answer_of(page, detail.step)
    return context | {"raw": raw_json(detail.raw)}
