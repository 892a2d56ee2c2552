"""What waits for people, or was decided, as the list of `/approvals` shows it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.urls import reverse

from studio.models import User
from studio.queries.escalations import Escalation, open_escalations
from studio.queries.grants import OF_CALLS
from studio.queries.instants import instant
from studio.queries.questions import Decided, Question, questions, viewer_of_question, viewers_of
from studio.web.decision_card import STUDIO, question_title
from studio.web.event_words import VERDICT_WORDS, one_line
from studio.web.tool_question import exact_question

MOST_DECIDED = 50


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One line of the list. `expires` is when nobody can decide it any more; `is_mine`: the person may decide it."""

    id: str
    href: str
    agent: str
    title: str
    about: str
    at: str
    icon: str = ""
    expires: str = ""
    is_mine: bool = True


def waiting_rows(user: User, *, only_mine: bool = False) -> list[InboxRow]:
    """What is open, what runs out first on top; then the oldest."""
    asked = viewers_of(questions(user, is_open=True), user)
    rows = [
        *(_question_row(question, is_mine=question.may_be_decided_by(viewer)) for question, viewer in asked),
        *(escalation_row(item) for item in open_escalations(user)),
    ]
    rows.sort(key=lambda row: (row.expires or "9", row.at))
    return [row for row in rows if row.is_mine or not only_mine]


def decided_rows(user: User, *, only_mine: bool = False) -> list[InboxRow]:
    """What is not open any more, the newest on top."""
    found = questions(user, is_open=False, most=MOST_DECIDED)[-MOST_DECIDED:]
    mine = str(user)
    return [
        _question_row(question, is_mine=question.may_be_decided_by(viewer))
        for question, viewer in viewers_of(reversed(found), user)
        if not only_mine or (question.decided is not None and question.decided.by == mine)
    ]


def question_row(question: Question, user: User) -> InboxRow:
    """The line of one question, as the person may see it."""
    return _question_row(question, is_mine=question.may_be_decided_by(viewer_of_question(question, user)))


def _question_row(question: Question, *, is_mine: bool) -> InboxRow:
    request, decided = question.request, question.decided
    agent = question.rollout.agent.name
    tool = question.tool
    is_about_tool = tool and request.why in OF_CALLS
    about = " · ".join([agent, *([tool] if is_about_tool else []), str(question.rollout.session)])
    if request.needed > 1 and decided is None:
        about = f"{len(question.approved_by)} of {request.needed} have approved · {about}"
    at = instant(decided.at if decided else question.asked_at)
    return InboxRow(
        id=question.id,
        href=reverse("approval", args=[question.id]),
        agent=agent,
        title=question_title(
            request.why.value,
            tool or "the call",
            request.to_state,
            exact_question(tool, question.args) if is_about_tool and is_mine else "",
        ),
        about=_decided_words(decided) if decided else about if question.is_open else _ended_words(question),
        at=at,
        icon=_icon(decided.verdict if decided else "withdrawn") if not question.is_open else "",
        expires=_moment(request.expires_at) if question.is_open else "",
        is_mine=is_mine,
    )


def escalation_row(item: Escalation) -> InboxRow:
    """The line of one question to supervisors."""
    agent = item.rollout.agent.name
    words = {"low": "", "normal": "", "high": " · high", "critical": " · critical"}
    return InboxRow(
        id=item.id,
        href=reverse("escalation", args=[item.id]),
        agent=agent,
        title=one_line(item.asked.question or item.asked.reason),
        about=f"{agent} asks a supervisor{words.get(item.asked.severity, '')}",
        at=instant(item.asked_at),
        expires=_moment(item.asked.deadline),
    )


def _decided_words(decided: Decided) -> str:
    if decided.by == STUDIO:
        return "Nobody decided in time"
    changed = " with changes" if decided.edited_args is not None else ""
    return f"{decided.by}: {VERDICT_WORDS.get(decided.verdict, decided.verdict)}{changed}"


def _ended_words(question: Question) -> str:
    is_lapsed = question.is_of_unknown_outcome and not question.is_closed
    return "Nobody knows whether it happened" if is_lapsed else "Withdrawn"


def _icon(verdict: str) -> str:
    return {"deny": "circle-x", "withdrawn": "octagon-x"}.get(verdict, "circle-check")


def _moment(microseconds: int) -> str:
    if not microseconds:
        return ""
    return datetime.fromtimestamp(microseconds / 1e6, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
