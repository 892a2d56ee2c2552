"""`/approvals`: what people have to decide about single calls, what agents ask supervisors, and standing leave."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import StandingGrant
from studio.queries.questions import Question, question_by_id
from studio.services.audit import Actor
from studio.services.decisions import AlreadyDecided
from studio.services.grants import may_revoke, revoke_grant
from studio.web.approval_detail import opened
from studio.web.decision_post import decide_posted
from studio.web.event_words import VERDICT_WORDS
from studio.web.inbox import decided_rows, waiting_rows
from studio.web.late_decision import late_decision
from studio.web.person import person

TABS = ("waiting", "decided", "grants")


@require_safe
def approvals(request: HttpRequest) -> HttpResponse:
    """The list; on a desk what runs out first stands beside it."""
    tab = request.GET.get("state", "waiting")
    if tab == "grants":
        return grants(request)
    context = _list(request, tab if tab in TABS else "waiting")
    first = next((row for row in context["rows"] if row.id.startswith("a_")), None) if tab != "decided" else None
    question = question_by_id(person(request), first.id) if first is not None else None
    shown = opened(question, person(request)) if question is not None else None
    return render(
        request,
        "approvals/list.html",
        context | {"open": shown, "current": first.id if first else "", "is_chosen": False},
    )


@require_safe
def approval(request: HttpRequest, question_id: str) -> HttpResponse:
    """One question, beside the list."""
    return _page(request, _question(request, question_id))


@require_POST
def approval_decide(request: HttpRequest, question_id: str) -> HttpResponse:
    """What a person decides about the call; decided once, whoever clicks twice."""
    question = _question(request, question_id)
    try:
        verdict = decide_posted(request, question)
    except AlreadyDecided as error:
        decided = _question(request, question_id)
        return _page(request, decided, {"late": late_decision(decided, person(request))}, error.status)
    except StudioError as error:
        return _page(request, question, {"problem": str(error)}, error.status)
    messages.success(request, f"Decided: {VERDICT_WORDS.get(verdict, 'approved with changes')}")
    return redirect("approvals")


@require_POST
def grant_revoke(request: HttpRequest, grant_id: str) -> HttpResponse:
    """Takes a standing leave back: from now on people are asked again."""
    user = person(request)
    grant = StandingGrant.objects.visible_to(user).filter(public_id=grant_id).first()
    if grant is None:
        raise Http404("There is no such permission, or it is not yours to see.")
    revoke_grant(user, grant, origin=Actor.of(request).origin)
    messages.success(request, "Taken back. People are asked again")
    return redirect("/approvals?state=grants")


def grants(request: HttpRequest) -> HttpResponse:
    """Every leave that stands, with what it covers."""
    user = person(request)
    related = ("agent", "session", "given_by", "project")
    standing = StandingGrant.objects.visible_to(user).standing().select_related(*related).order_by("-created_at")
    found = [{"grant": grant, "may_revoke": may_revoke(user, grant)} for grant in standing]
    context = {"tab": "grants", "found": found, "waiting_count": len(waiting_rows(user))}
    return render(request, "approvals/grants.html", context)


def _page(
    request: HttpRequest, question: Question, more: dict[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    context = _list(request, "waiting" if question.is_open else "decided")
    context |= {"open": opened(question, person(request)), "current": question.id, "is_chosen": True, **(more or {})}
    return render(request, "approvals/list.html", context, status=status)


def _list(request: HttpRequest, tab: str) -> dict[str, Any]:
    user, mine = person(request), bool(request.GET.get("mine"))
    waiting = waiting_rows(user)
    rows = (
        decided_rows(user, only_mine=mine) if tab == "decided" else [row for row in waiting if row.is_mine or not mine]
    )
    return {"rows": rows, "tab": tab, "mine": mine, "waiting_count": len(waiting)}


def _question(request: HttpRequest, question_id: str) -> Question:
    question = question_by_id(person(request), question_id)
    if question is None:
        raise Http404("There is no such question, or it is not yours to see.")
    return question
