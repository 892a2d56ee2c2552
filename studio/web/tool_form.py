"""The form of a tool: what it does, what is sent, its usual rules and its labels."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms

from runtime.domain.tool_policy import APPROVAL_WORDS
from studio.errors import Refused
from studio.models import Tool
from studio.services.tool_facts import ToolFacts
from studio.services.tool_rows import FROM_OUTSIDE
from studio.web.form import Form

METHODS = [(method, method) for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")]
ASKED = [("never", "Never"), ("always", "Always"), ("once", "Once in a session"), ("when", "When…")]
ACCESS = [("read", "It only reads"), ("write", "It changes something")]
LABELS = [
    ("reads_untrusted", "Reads what strangers wrote"),
    ("reads_private", "Reads private data"),
    ("sends_external", "Sends outside"),
]
AREA = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})
EXACT = {"class": "c-input c-input--mono", "spellcheck": "false"}


class RulesForm(Form):
    """What every tool of the project has."""

    title = forms.CharField(max_length=200, required=False, help_text="What people read, such as Issue a refund.")
    description = forms.CharField(
        label="What it does", max_length=4000, widget=AREA, help_text="The model reads this to choose the tool."
    )
    access = forms.ChoiceField(label="What it does to the world", choices=ACCESS, initial="write")
    approval = forms.ChoiceField(label="Ask a person first", choices=ASKED, initial="always")
    condition = forms.CharField(
        label="When",
        max_length=500,
        required=False,
        help_text="Such as args.amount > 50.",
        widget=forms.TextInput(EXACT),
    )
    timeout_seconds = forms.FloatField(
        label="Time limit", min_value=0.1, max_value=600, initial=30, help_text="Seconds."
    )
    tries = forms.IntegerField(min_value=1, max_value=11, initial=1, help_text="In all, if it fails.")
    idempotent = forms.BooleanField(label="Safe to repeat: the same call twice does it once", required=False)
    labels = forms.MultipleChoiceField(
        choices=LABELS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        initial=FROM_OUTSIDE,
        help_text="Once an agent has read both of the first two, a person is asked before anything is sent outside.",
    )

    def facts(self, schema: Mapping[str, Any], sent: Mapping[str, Any]) -> ToolFacts:
        """What was entered; the form is valid."""
        said = self.cleaned_data
        return ToolFacts(
            said["title"],
            said["description"],
            schema,
            sent,
            access=said["access"],
            idempotent=said["idempotent"],
            timeout_seconds=said["timeout_seconds"],
            retries=said["tries"] - 1,
            approval=said["condition"].strip() if said["approval"] == "when" else said["approval"],
            labels=tuple(said["labels"]),
        )


class HttpToolForm(RulesForm):
    """A tool that is written here."""

    method = forms.ChoiceField(choices=METHODS)
    url = forms.CharField(
        label="URL",
        max_length=4000,
        widget=forms.TextInput(EXACT),
        help_text="{order_id} stands for an argument, in the path or the query.",
    )
    headers = forms.CharField(
        required=False,
        widget=forms.Textarea({**EXACT, "rows": 2}),
        help_text="One a line, such as Authorization: Bearer {secret:ORDERS_TOKEN}.",
    )
    body = forms.CharField(
        label="Body",
        required=False,
        widget=forms.Textarea({**EXACT, "rows": 4}),
        help_text='JSON, such as {"amount": "{amount}"}; {*} sends all arguments that stand nowhere else.',
    )
    response_path = forms.CharField(
        label="Part of the answer",
        required=False,
        widget=forms.TextInput(EXACT),
        help_text="Such as data.orders.0; empty gives all of it.",
    )
    idempotency_header = forms.CharField(
        label="Header for the key of the call",
        required=False,
        widget=forms.TextInput(EXACT),
        help_text="Such as Idempotency-Key, if the service knows one.",
    )

    def sent(self) -> dict[str, Any]:
        """The HTTP form that was entered. Raises Refused for a header or a body that cannot be read."""
        said = self.cleaned_data
        names = ("method", "url", "response_path", "idempotency_header")
        return {name: said[name].strip() for name in names} | {
            "headers": _headers(said["headers"]),
            "body": _body(said["body"]),
        }


class NewToolForm(HttpToolForm):
    name = forms.CharField(max_length=64, help_text="What agent files call it, such as issue_refund.")


def rules_of(tool: Tool) -> dict[str, Any]:
    """The initial values of a form for a stored tool."""
    is_word = tool.approval in APPROVAL_WORDS
    return {
        "title": tool.title,
        "description": tool.description,
        "access": tool.access,
        "approval": tool.approval if is_word else "when",
        "condition": "" if is_word else tool.approval,
        "timeout_seconds": tool.timeout_seconds,
        "tries": tool.retries + 1,
        "idempotent": tool.idempotent,
        "labels": tool.labels,
    }


def sent_of(tool: Tool) -> dict[str, Any]:
    """The same for what an HTTP tool sends."""
    form = tool.form
    body = form.get("body")
    return {
        **{name: form.get(name, "") for name in ("method", "response_path", "idempotency_header")},
        "url": f"{form.get('base_url', '').rstrip('/')}{form.get('url', '')}",
        "headers": "\n".join(f"{name}: {value}" for name, value in form.get("headers", {}).items()),
        "body": "" if body is None else body if body == "{*}" else json.dumps(body, indent=2, ensure_ascii=False),
    }


def _headers(text: str) -> dict[str, str]:
    headers = {}
    for line in filter(str.strip, text.splitlines()):
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise Refused(f"The header {line.strip()[:60]!r} has no colon. Write it as Name: value.")
        headers[name.strip()] = value.strip()
    return headers


def _body(text: str) -> Any:
    if not text.strip():
        return None
    if text.strip() == "{*}":
        return "{*}"
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"The body cannot be read as JSON: {str(error)[:200]}.") from None
