"""Edits made in the form, spliced into the author's text.

Posted as `field:PATH`, `tool:INDEX:SETTING`, `add_tool` and `remove_tool`.
"""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from runtime.domain.agent_file import AgentFile, read_agent_file
from runtime.domain.file_edit import EditRefused, edit
from runtime.domain.yaml_node import plain_value
from studio.errors import StudioError
from studio.services.agents import save_draft
from studio.services.audit import Actor
from studio.web.editor import answer, base_of, editor_page, refused, wants_json, writable_agent
from studio.web.editor_form import CONTROLS, NotANumber, canonical_root, node_at, parsed, shown
from studio.web.editor_tools import with_setting, with_tool, without_tool
from studio.web.typed_text import as_typed, as_written

SETTINGS = frozenset({"timeout", "retries", "workspace"})


@require_POST
def agent_fields(request: HttpRequest, name: str) -> HttpResponse:
    """Edits a text that is sent and gives it back unsaved; without one, edits the draft and saves it."""
    agent = writable_agent(request, name)
    text = as_typed(request.POST.get("text", agent.draft))
    posted = {key: values[-1] for key, values in request.POST.lists()}
    try:
        edited = edited_text(text, posted)
    except (EditRefused, NotANumber) as error:
        if wants_json(request):
            return JsonResponse({"refused": str(error)}, status=422)
        return editor_page(request, agent, text, base=agent.draft_number, more={"refused": str(error)}, status=422)
    if wants_json(request):
        return JsonResponse(answer(agent, edited))
    try:
        save_draft(Actor.of(request), agent, as_written(edited, agent.draft), base=base_of(request))
    except StudioError as error:
        return refused(request, agent, edited, error)
    messages.success(request, "Draft saved")
    section = request.POST.get("section", "identity")
    return redirect(f"{reverse('agent-edit', args=[name])}#section-{section}")


def edited_text(text: str, posted: Mapping[str, str]) -> str:
    """The text after every edit that the posted values ask for; what they do not change stays as it is.

    Raises EditRefused, NotANumber.
    """
    for key, typed in posted.items():
        file = read_agent_file(text)
        kind, _, rest = key.partition(":")
        if kind == "field" and rest in CONTROLS:
            text = _with_field(text, file, rest, typed)
        elif kind == "tool":
            text = _with_tool_setting(text, file, rest, typed)
        elif kind == "add_tool":
            text = with_tool(text, file, typed)
        elif kind == "remove_tool" and typed.isdecimal():
            text = without_tool(text, int(typed))
    return text


def _with_field(text: str, file: AgentFile, path: str, typed: str) -> str:
    control, root = CONTROLS[path], canonical_root(file)
    node = node_at(root, path.split(".")) if root is not None else None
    now = shown(control, plain_value(node) if node is not None else None)
    if typed.replace("\r\n", "\n") == now:
        return text
    return edit(text, path, parsed(control, typed))


def _with_tool_setting(text: str, file: AgentFile, rest: str, typed: str) -> str:
    index, _, setting = rest.partition(":")
    if setting not in SETTINGS or not index.isdecimal():
        return text
    return with_setting(text, file, int(index), key=setting, typed=typed)
