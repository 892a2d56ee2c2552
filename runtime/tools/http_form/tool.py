"""A tool that is a form: one request for a call, through the guarded client."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from runtime.domain.tool import ToolSpec
from runtime.ports import NothingDone, ToolContext, ToolFailed
from runtime.tools.http_form.body_template import filled_body
from runtime.tools.http_form.errors import FormRefused
from runtime.tools.http_form.form import ALL_REST, HttpForm
from runtime.tools.http_form.response_path import part_of
from runtime.tools.http_form.template import Missing, filled
from runtime.tools.http_form.url_template import authority_of, check_url_template, filled_url
from runtime.tools.outbound.answer import Answer
from runtime.tools.outbound.request import Request
from runtime.tools.services import ToolServices
from runtime.tools.workspace.text_file import size_in_words

_TRY_AGAIN = frozenset({408, 425, 500, 502, 503, 504})
_TOO_MANY = 429  # refused before anything was done
_SHOWN_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class HttpTool:
    """Fulfils `runtime.ports.Tool`. `source`: the API document that it came from, with the name it has there."""

    spec: ToolSpec
    form: HttpForm
    services: ToolServices
    group: str = ""
    source: tuple[str, str] = ("", "")
    original: str = ""
    module: str = "the tools of the project"
    settings: None = None

    def under(self, spec: ToolSpec) -> "HttpTool":
        """This tool with another spec: the policy of an agent file laid over its own."""
        return replace(self, spec=spec)

    async def run(self, args: Mapping[str, Any], context: ToolContext) -> str:
        """The server's answer, or the part of it that is asked for. Raises ToolFailed."""
        request = await self._request(args, context)
        try:
            answer = await self.services.client.fetch(request)
        except asyncio.CancelledError:
            if request.is_sent:
                raise
            raise NothingDone("it was cancelled before it was sent") from None
        self._check_status(answer, context.spec)
        return self._told(answer)

    async def _request(self, args: Mapping[str, Any], context: ToolContext) -> Request:
        form = with_settings(self.form, context.spec.settings)
        authority = authority_of(form.template)
        secrets = {name: await self.services.secrets.value(name, context.project, authority) for name in form.secrets}
        headers = _headers(form, args, secrets)
        if form.idempotency_header:
            headers[form.idempotency_header] = context.key
        body = _body(form, args)
        if body is not None:
            headers = {"Content-Type": "application/json", **headers}
        return self.services.client.request(
            form.method, filled_url(form.template, args, secrets), headers=headers, body=body
        )

    def _check_status(self, answer: Answer, spec: ToolSpec) -> None:
        if answer.status < 400:
            return
        said = answer.text().strip()[:_SHOWN_CHARACTERS]
        sentence = f"the server answered {answer.status}{': ' + said if said else ''}"
        again = answer.status == _TOO_MANY or (answer.status in _TRY_AGAIN and spec.may_run_again)
        raise ToolFailed(sentence, retryable=again)

    def _told(self, answer: Answer) -> str:
        if answer.is_cut:
            return f"{answer.text()}\n[the answer is longer; these are its first {size_in_words(len(answer.body))}]"
        try:
            said = json.loads(answer.text())
        except (ValueError, RecursionError):
            if self.form.response_path:
                raise ToolFailed("the answer came, and is not JSON", retryable=False) from None
            return _as_words(answer)
        return _as_text(part_of(said, self.form.response_path))


def with_settings(form: HttpForm, settings: Mapping[str, Any]) -> HttpForm:
    """The form with what an agent file sets: another `base_url`, and `auth` with the name of a secret.

    Raises ToolFailed for settings that cannot be followed.
    """
    changes: dict[str, Any] = {}
    base_url, auth = settings.get("base_url"), settings.get("auth")
    if isinstance(base_url, str) and base_url:
        changes["base_url"] = base_url
    if isinstance(auth, Mapping):
        changes["headers"] = {**form.headers, **auth_header(auth)}
    if not changes:
        return form
    changed = form.model_copy(update=changes)
    try:
        check_url_template(changed.template)
    except FormRefused as refused:
        raise ToolFailed(f"`base_url` cannot be used: {refused.sentence}", retryable=False) from None
    return changed


def auth_header(auth: Mapping[str, Any]) -> dict[str, str]:
    """The header that `{secret: NAME, header: Authorization, prefix: Bearer}` asks for; none without a secret."""
    secret = auth.get("secret")
    if not isinstance(secret, str) or not secret:
        return {}
    header = str(auth.get("header") or "Authorization")
    prefix = str(auth.get("prefix", "Bearer" if header == "Authorization" else "")).strip()
    return {header: f"{prefix} {{secret:{secret}}}".strip()}


def _headers(form: HttpForm, args: Mapping[str, Any], secrets: Mapping[str, str]) -> dict[str, str]:
    headers = {}
    for name, value in form.headers.items():
        try:
            headers[name] = filled(value, args, secrets)
        except Missing:
            continue
    return headers


def _body(form: HttpForm, args: Mapping[str, Any]) -> bytes | None:
    if form.body == ALL_REST:
        used = form.arguments
        body: Any = {name: value for name, value in args.items() if name not in used}
    else:
        body = filled_body(form.body, args)
    return None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def _as_words(answer: Answer) -> str:
    if not answer.body:
        return f"The server answered {answer.status} without a body."
    if b"\0" in answer.body:
        return f"[{size_in_words(len(answer.body))} that are not text]"
    return answer.text()


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
