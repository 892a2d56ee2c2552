"""A question of an agent to one person, with or without a form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.web.decision_card import Given, given_of
from studio.web.schema_form import SchemaField, schema_fields

type Envelope = Mapping[str, Any]


@dataclass(slots=True)
class QuestionCard:
    """`is_mine`: the viewer is the one who is asked. `fields` are those of its form; without any, words answer it."""

    id: str
    rollout: str
    session: str
    text: str
    to: str
    to_name: str
    fields: list[SchemaField] = field(default_factory=list)
    is_mine: bool = False
    is_open: bool = True
    answer: list[Given] = field(default_factory=list)
    ending: str = ""

    @property
    def key(self) -> str:
        return f"ask-{self.rollout}-{self.id.replace('.', '-')}"


def question_card(event: Envelope) -> QuestionCard:
    """The card of an `agent.output` that waits; what `with_answers` put under `answered` and `mine` is known."""
    payload = event["payload"]
    card = QuestionCard(
        payload["call_id"],
        event["rollout"],
        event["session"],
        payload["content"],
        payload["to"],
        payload.get("to_name") or "a person",
        fields=schema_fields(payload["form"]) if payload.get("form") else [],
        is_mine=event.get("mine", False),
    )
    if (answered := event.get("answered")) is not None:
        card.is_open, card.ending = False, "answered"
        card.answer = given_of((answered.get("form") or {}).get("values"))
    return card


def close_question(card: QuestionCard, event: Envelope) -> None:
    """It ended without an answer of that person, or with one."""
    card.is_open = False
    card.ending = card.ending or ("answered" if event["payload"]["status"] == "ok" else "withdrawn")
