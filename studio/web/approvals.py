"""`/approvals`: questions to people about single calls. So far of one kind: a call whose outcome is not known."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.models import User
from studio.queries.events import envelopes_of
from studio.queries.instants import instant
from studio.queries.playground import Status, status_of
from studio.queries.questions import Question, question_by_id, questions, viewer_of_question
from studio.queries.rollouts import ticks_of
from studio.queries.viewer import viewer_of
from studio.services.audit import Actor
from studio.services.decisions import AlreadyDecided, decide_question
from studio.web.event_words import VERDICT_WORDS, one_line
from studio.web.person import person

MOST_DECIDED = 50
QUOTES, LOOK_BACK = 3, 60
QUOTED = {"user.input": "", "agent.output": "", "agent.thought": ", thinking"}


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question as the list shows it."""

    question: Question
    title: str
    asked_at: str
    decided: str
    decided_at: str

    @property
    def agent(self) -> str:
        return self.question.rollout.agent.name


@dataclass(frozen=True, slots=True)
class Quote:
    """Something that was said before the question came up."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """One question in full. `args`: name and value, whole; None if the viewer may not decide it."""

    row: QuestionRow
    args: list[tuple[str, Any]] | None
    args_raw: str
    quotes: list[Quote]
    ticks: list[str]
    status: Status
    may_decide: bool


@require_safe
def approvals(request: HttpRequest) -> HttpResponse:
    """The list; on a desk the oldest open question stands beside it."""
    decided = request.GET.get("state") == "decided"
    rows = _rows(person(request), decided=decided)
    first = rows[0].question if rows and not decided else None
    return render(request, "approvals/list.html", _context(request, rows, first, decided=decided, is_chosen=False))


@require_safe
def approval(request: HttpRequest, question_id: str) -> HttpResponse:
    """One question, beside the list."""
    question = _question(request, question_id)
    decided = not question.is_open
    rows = _rows(person(request), decided=decided)
    return render(request, "approvals/list.html", _context(request, rows, question, decided=decided, is_chosen=True))


@require_POST
def approval_decide(request: HttpRequest, question_id: str) -> HttpResponse:
    """Run again, it happened, or skip; decided once, whoever clicks twice."""
    question, posted = _question(request, question_id), request.POST
    verdict = posted.get("verdict", "")
    result = posted.get("result", "") if verdict == "happened" else ""
    try:
        origin = Actor.of(request).origin
        decide_question(person(request), question, verdict, result, posted.get("reason", ""), origin=origin)
    except AlreadyDecided as error:
        rows = _rows(person(request), decided=True)
        again = _question(request, question_id)
        context = _context(request, rows, again, decided=True, is_chosen=True) | {"late": str(error)}
        return render(request, "approvals/list.html", context, status=error.status)
    messages.success(request, f"Decided: {VERDICT_WORDS.get(verdict, verdict)}")
    return redirect("approvals")


def _question(request: HttpRequest, question_id: str) -> Question:
    question = question_by_id(person(request), question_id)
    if question is None:
        raise Http404("There is no such question, or it is not yours to see.")
    return question


def _rows(user: User, *, decided: bool) -> list[QuestionRow]:
    found = questions(user, is_open=not decided)
    return [_row(question) for question in (reversed(found[-MOST_DECIDED:]) if decided else found)]


def _row(question: Question) -> QuestionRow:
    tool = question.call.tool if question.call is not None else "the call"
    decided = question.decided
    return QuestionRow(
        question=question,
        title=f"Did {tool} happen?",
        asked_at=instant(question.asked_at),
        decided=f"{decided.by}: {VERDICT_WORDS.get(decided.verdict, decided.verdict)}" if decided else "",
        decided_at=instant(decided.at) if decided else "",
    )


def _context(
    request: HttpRequest, rows: list[QuestionRow], question: Question | None, *, decided: bool, is_chosen: bool
) -> dict[str, Any]:
    user = person(request)
    return {
        "rows": rows,
        "open": _opened(question, user) if question is not None else None,
        "decided": decided,
        "is_chosen": is_chosen,
        "waiting_count": len(rows) if not decided else len(questions(user, is_open=True)),
    }


def _opened(question: Question, user: User) -> OpenQuestion:
    call, rollout = question.call, question.rollout
    may_decide = question.may_be_decided_by(viewer_of_question(question, user))
    shows = may_decide and call is not None
    return OpenQuestion(
        row=_row(question),
        args=list(call.args.items()) if shows and call is not None and call.args is not None else None,
        args_raw=call.args_raw if shows and call is not None else "",
        quotes=_quotes(question, user),
        ticks=ticks_of(rollout),
        status=status_of(rollout.lifecycle, rollout.waiting_for),
        may_decide=may_decide and question.is_open,
    )


def _quotes(question: Question, user: User) -> list[Quote]:
    """The last things that were said or thought before the question, as the viewer may see them."""
    rollout = question.rollout
    envelopes = envelopes_of(rollout, viewer_of(rollout.session, user), max(1, question.seq - LOOK_BACK), question.seq)
    said = [event for event in envelopes if event.get("type") in QUOTED and event["payload"].get("content")]
    return [
        Quote(
            (event["payload"].get("name") or rollout.agent.name) + QUOTED[event["type"]],
            one_line(event["payload"]["content"]),
        )
        for event in said[-QUOTES:]
    ]
