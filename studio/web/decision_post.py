"""A decision as a form posts it."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from studio.queries.asked import schema_of
from studio.queries.questions import Question
from studio.services.audit import Actor
from studio.services.decisions import decide_question
from studio.web.decision_card import card_fields
from studio.web.person import person
from studio.web.posts import text_of
from studio.web.schema_form import values_of


def decide_posted(request: HttpRequest, question: Question) -> str:
    """Gives the decision to the service; what was decided. Raises what `decide_question` raises, or NotOfItsKind.

    `verdict` edit approves with what stands in the fields `arg:NAME`, and a `note`; `grant` approves all calls like it.
    """
    posted = request.POST
    grant, is_edit = posted.get("grant", ""), posted.get("verdict") == "edit"
    verdict = posted.get("verdict", "") or ("approve" if grant else "")
    decide_question(
        person(request),
        question,
        "approve" if is_edit else verdict,
        text_of(request, "result") if verdict == "happened" else "",
        _words(request, verdict),
        args=_edited(question, posted) if is_edit else None,
        args_sha256=posted.get("args_sha256", "") if verdict in ("approve", "edit") else "",
        grant=grant,
        origin=Actor.of(request).origin,
    )
    return verdict


def _words(request: HttpRequest, verdict: str) -> str:
    """What the agent is told beside the verdict: a note with an edit, a reason for a refusal."""
    return "" if verdict == "approve" else text_of(request, "note" if verdict == "edit" else "reason")


def _edited(question: Question, posted: Mapping[str, str]) -> dict[str, Any]:
    """The arguments as they stand in the form; those that it has no field for stay."""
    args = question.args if isinstance(question.args, Mapping) else {}
    fields = card_fields(args, schema_of(question.tool, question.rollout.public_id))
    shown = {field.name for field in fields}
    kept = {name: value for name, value in args.items() if name not in shown}
    return kept | values_of(fields, posted, prefix="arg:")
