"""A question to a person about one call, as a card: open, or what became of it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from runtime.domain.arguments import args_sha256
from studio.web.schema_form import SchemaField, schema_fields
from studio.web.tool_question import exact_question, plain_question

type Envelope = Mapping[str, Any]

STUDIO = "Studio"  # who denies when nobody decided in time
OUTCOMES = {"run_again": "run it again", "happened": "it happened", "skip": "skip it"}
ROLE_WORDS = {
    "supervisors": "a supervisor",
    "admins": "an administrator",
    "owner": "the owner of the session",
}


@dataclass(frozen=True, slots=True)
class Given:
    """One argument as the card's table shows it; `was` is its value before somebody changed it."""

    name: str
    text: str
    is_plain: bool
    was: str = ""


@dataclass(slots=True)
class Decision:
    """A question about a call. `args`, `given`, `fields` and `exact` are filled for those who may decide it.

    `exact`: the question with its arguments in the sentence, where the tool has one and they are short.
    `verdict` is empty while it is open; `approved_by` are those who have approved so far, of `needed`. `danger`: what
    was read where, before a call that sends out. `is_too_late`: its rollout has ended, so that what was not decided
    until then is decided no more.
    """

    id: str
    why: str
    call_id: str
    tool: str
    may_decide: bool = False
    about: str = ""
    args: str = ""
    args_sha256: str = ""
    exact: str = ""
    given: list[Given] = field(default_factory=list)
    fields: list[SchemaField] = field(default_factory=list)
    expires_at: int = 0
    then: str = "deny"
    needed: int = 1
    approvers: tuple[str, ...] = ()
    to_state: str = ""
    danger: str = ""
    is_escalated: bool = False
    approved_by: list[str] = field(default_factory=list)
    has_approved: bool = False
    verdict: str = ""
    by: str = ""
    at: str = ""
    reason: str = ""
    grant: str = ""
    changes: list[Given] = field(default_factory=list)
    viewer: str = ""
    is_too_late: bool = False

    @property
    def is_outcome(self) -> bool:
        """Whether it asks what became of a call, not whether it may run."""
        return self.why == "unknown_outcome"

    @property
    def is_of_call(self) -> bool:
        """Whether it asks whether a call of a tool may run."""
        return self.why in ("policy", "taint")

    @property
    def title(self) -> str:
        return question_title(self.why, self.tool, self.to_state, self.exact)

    @property
    def approve_words(self) -> str:
        """What the button says: with what comes of it, if that is said in a few words."""
        return f"Approve: {self.exact[:1].lower()}{self.exact[1:].removesuffix('?')}" if self.exact else "Approve"

    @property
    def why_words(self) -> str:
        """Why it asks."""
        if self.is_escalated:
            return "Nobody decided in time, so supervisors are asked."
        if self.why == "transition":
            return "Asks because a person has to permit this move."
        if self.why == "plan":
            return "Asks because its author wants a person to agree to its plans."
        if self.danger:
            return f"Asks because {self.danger} What it read may have told it to pass the data on."
        if self.why == "limit":
            return "Asks because a limit was reached."
        return f"Asks because the author wants a person to decide about {self.tool}."

    @property
    def not_yet(self) -> str:
        """What has not happened."""
        if self.why == "transition":
            return "The state is as it was."
        if self.why == "plan":
            return "The agent works by no new plan until somebody agrees."
        return "Nothing has been done yet. Approving twice, or from two tabs, runs it once."

    @property
    def who(self) -> str:
        """Who may decide, in words."""
        named = [ROLE_WORDS.get(one, one) for one in self.approvers if not one.startswith("u_")]
        if not named:
            return "somebody who takes part in the session, or a supervisor"
        return named[0] if len(named) == 1 else ", ".join(named[:-1]) + " or " + named[-1]

    @property
    def expires(self) -> str:
        """When it ends, in RFC 3339; empty if it does not."""
        if not self.expires_at:
            return ""
        return datetime.fromtimestamp(self.expires_at / 1e6, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def outcome(self) -> str:
        """What became of it: approved, edited, denied, expired, withdrawn, lapsed, granted, or a verdict."""
        if self.verdict == "approve":
            return "granted" if self.grant.startswith("g_") else "edited" if self.changes else "approved"
        if self.verdict == "deny":
            return "expired" if self.by == STUDIO else "denied"
        return self.verdict

    @property
    def said(self) -> str:
        """What became of it, in words."""
        match self.outcome:
            case "approved":
                return f"{self.by} approved"
            case "edited":
                return f"{self.by} approved with changes"
            case "granted":
                return f"Approved by a standing permission of {self.by}"
            case "denied":
                return f"{self.by} denied"
            case "expired":
                return "Nobody decided in time. It was denied"
            case "escalated":
                return "Nobody decided in time. Supervisors are asked"
            case "lapsed":
                return "Nobody knows whether it happened, and the rollout has ended"
            case "withdrawn":
                return "Withdrawn before anybody decided"
            case _:
                return f"{self.by} decided: {OUTCOMES.get(self.verdict, self.verdict)}"

    @property
    def icon(self) -> str:
        icons = {"denied": "circle-x", "expired": "alarm-clock", "escalated": "alarm-clock", "withdrawn": "octagon-x"}
        icons |= {"lapsed": "circle-question-mark"}
        return icons.get(self.outcome, "pencil" if self.outcome == "edited" else "circle-check")

    @property
    def is_half(self) -> bool:
        """Whether some, not all, have approved."""
        return not self.verdict and bool(self.approved_by)

    @property
    def revision(self) -> int:
        """Changes when the card has to be drawn anew though it is still open."""
        return len(self.approved_by)

    def end(self) -> None:
        """What became of it if its rollout has ended before anybody decided."""
        if self.is_too_late and not self.verdict:
            self.verdict = "lapsed" if self.is_outcome else "withdrawn"


def question_title(why: str, tool: str, to_state: str = "", exact: str = "") -> str:
    """The question in plain words; `exact` is that of a call with its arguments, for those who may see them."""
    match why:
        case "unknown_outcome":
            return f"Did {tool} happen?"
        case "transition":
            return f"May it move to {to_state}?"
        case "plan":
            return "May it work by this plan?"
        case "limit":
            return "May it go on beyond its limit?"
        case _:
            return exact or plain_question(tool) or f"May {tool} run?"


def decision_card(event: Envelope, *, tool: str, args: str = "") -> Decision:
    """The card of an `approval.request`; what `with_asked` put under `asked` is for those who may decide."""
    payload, asked = event["payload"], event.get("asked")
    card = Decision(
        f"a_{event['rollout'].removeprefix('r_')}_{event['seq']}",
        payload["why"],
        payload["call_id"],
        payload.get("tool") or tool,
        args=args,
        args_sha256=payload.get("args_sha256", ""),
        expires_at=payload["expires_at"],
        then=payload.get("then", "deny"),
        needed=payload.get("needed", 1),
        approvers=tuple(payload.get("approvers") or ()),
        to_state=payload.get("to_state", ""),
        danger=payload.get("reason", ""),
        is_escalated=payload.get("escalated", False),
        is_too_late=event.get("too_late", False),
    )
    if asked is not None:
        _open_to(card, asked)
    return card


def take_decision(card: Decision, event: Envelope) -> None:
    """What an `approval.decision` makes of the card; with fewer than `needed` approvals it stays open."""
    payload = event["payload"]
    by = payload["by"] or "A person"
    edited = payload.get("edited_args")
    if payload["verdict"] == "approve":
        if edited is not None:  # everybody is asked anew about the arguments as they are then
            card.approved_by, card.has_approved = [], False
            card.args_sha256 = payload.get("args_sha256", "") or card.args_sha256
            card.exact = exact_question(card.tool, edited) if card.may_decide else ""
        card.approved_by.append(by)
        card.has_approved |= bool(card.viewer) and event["source"] == card.viewer
        card.changes = changes_of(card.given, edited) or card.changes
        if len(card.approved_by) < card.needed and not payload.get("grant", "").startswith("g_"):
            return
    card.verdict, card.by, card.at = payload["verdict"], by, event["at"]
    if len(card.approved_by) > 1:
        card.by = " and ".join(dict.fromkeys(card.approved_by))
    card.reason, card.grant = payload["reason"], payload.get("grant", "")


def pretty(args: Any) -> str:
    """Arguments as they are shown: exact and whole."""
    return args if isinstance(args, str) else json.dumps(args, indent=2, ensure_ascii=False) if args else ""


def given_of(args: Any) -> list[Given]:
    """Arguments as rows."""
    if not isinstance(args, Mapping):
        return []
    return [
        Given(
            name, value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False), not _deep(value)
        )
        for name, value in args.items()
    ]


def changes_of(given: Sequence[Given], edited: Any) -> list[Given]:
    """The arguments that were changed, with what they were; all of the new ones where the old are not shown."""
    if not isinstance(edited, Mapping):
        return []
    before = {one.name: one.text for one in given}
    rows = given_of(edited)
    changed = [Given(row.name, row.text, row.is_plain, before.get(row.name, "")) for row in rows]
    gone = [Given(name, "left out", True, text) for name, text in before.items() if name not in edited]
    return [row for row in changed if row.text != row.was] + gone


def card_fields(args: Mapping[str, Any], schema: Mapping[str, Any] | None) -> list[SchemaField]:
    """The fields in which the arguments are edited; by what stands there if the tool is not known here."""
    return schema_fields(schema or _guessed(args), args)


def _open_to(card: Decision, asked: Mapping[str, Any]) -> None:
    args = asked.get("args")
    card.may_decide, card.viewer, card.about = asked.get("may", True), asked.get("viewer", ""), asked.get("about", "")
    card.args, card.given = pretty(args) or card.args, given_of(args)
    card.args_sha256 = card.args_sha256 or args_sha256(card.tool, args if isinstance(args, dict) else {})
    if card.is_of_call:
        card.exact = exact_question(card.tool, args)
        card.fields = card_fields(args, asked.get("schema")) if isinstance(args, Mapping) else []


def _guessed(args: Mapping[str, Any]) -> dict[str, Any]:
    """A schema for a tool that is not known here: the kinds of what stands there."""
    kinds: Sequence[tuple[type, str]] = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"))
    return {
        "properties": {
            name: {"type": next((word for kind, word in kinds if isinstance(value, kind)), "object")}
            for name, value in args.items()
        }
    }


def _deep(value: Any) -> bool:
    return isinstance(value, dict | list)
