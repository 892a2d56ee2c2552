"""One question in full: its card, how it came up, and what follows from each answer."""

from dataclasses import dataclass

from studio.models import Rollout, User
from studio.queries.events import envelopes_of
from studio.queries.playground import Status, status_of
from studio.queries.questions import Question, viewer_of_question
from studio.queries.rollouts import ticks_of
from studio.queries.steps import envelopes_of_step
from studio.queries.viewer import Viewer, viewer_of
from studio.web.call_card import CallCard
from studio.web.decision_card import Decision, changes_of
from studio.web.event_words import one_line
from studio.web.inbox import InboxRow, question_row
from studio.web.step_message import step_message

QUOTES, LOOK_BACK = 3, 60
QUOTED = {"user.input": "", "agent.output": "", "agent.thought": ", thinking"}


@dataclass(frozen=True, slots=True)
class Quote:
    """Something that was said before the question came up."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """One question in full. `attempt` is that of its call."""

    question: Question
    row: InboxRow
    card: Decision
    attempt: int
    quotes: list[Quote]
    ticks: list[str]
    status: Status

    @property
    def rollout(self) -> Rollout:
        return self.question.rollout

    @property
    def may_decide(self) -> bool:
        return self.card.may_decide and self.question.is_open


def opened(question: Question, user: User) -> OpenQuestion:
    """The question as the person may see it."""
    rollout, viewer = question.rollout, viewer_of_question(question, user)
    card, attempt = _card(question, viewer)
    return OpenQuestion(
        question=question,
        row=question_row(question, user),
        card=card,
        attempt=attempt,
        quotes=quotes(rollout, user, question.seq),
        ticks=ticks_of(rollout),
        status=status_of(rollout.lifecycle, rollout.waiting_for),
    )


def quotes(rollout: Rollout, user: User, before: int) -> list[Quote]:
    """The last things that were said or thought before that seq, as the viewer may see them."""
    envelopes = envelopes_of(rollout, viewer_of(rollout.session, user), max(1, before - LOOK_BACK), before)
    said = [event for event in envelopes if event.get("type") in QUOTED and event["payload"].get("content")]
    return [
        Quote(
            (event["payload"].get("name") or rollout.agent.name) + QUOTED[event["type"]],
            one_line(event["payload"]["content"]),
        )
        for event in said[-QUOTES:]
    ]


def _card(question: Question, viewer: Viewer) -> tuple[Decision, int]:
    """The card as the conversation shows it; a decision that is accepted and not yet recorded counts as well."""
    step = int(question.request.call_id.partition(".")[0])
    message = step_message(envelopes_of_step(question.rollout, viewer, step))
    for call in (part for part in message.parts if isinstance(part, CallCard)) if message else ():
        for card in call.decisions:
            if card.id == question.id:
                _settle(card, question)
                return card, call.attempt
    card = Decision(question.id, question.request.why.value, question.request.call_id, question.tool)
    _settle(card, question)
    return card, 0


def _settle(card: Decision, question: Question) -> None:
    if not card.verdict and question.decided is not None:
        decided = question.decided
        card.verdict, card.by, card.reason, card.grant = decided.verdict, decided.by, decided.reason, decided.grant
        if card.may_decide:
            card.changes = changes_of(card.given, decided.edited_args) or card.changes
    elif not card.verdict and not question.is_open:
        card.verdict = "lapsed" if card.is_outcome and not question.is_closed else "withdrawn"
