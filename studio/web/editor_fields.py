"""Edits made in the form, spliced into the author's text.

Posted as `field:PATH`, `tool:INDEX:SETTING`, `agent:INDEX:SETTING`, `trigger:INDEX:SETTING`, `rename_state:NAME`,
`rename_variable:NAME`, `redirect_state:NAME`, `add_move:FROM`, and what else comes and goes as `add_tool`,
`remove_tool` and the like.
"""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from runtime.domain.agent_file import AgentFile, read_agent_file
from runtime.domain.file_edit import EditRefused, edit
from runtime.domain.file_rename import redirect_state
from runtime.domain.yaml_node import plain_value
from runtime.tools.registry import Registry
from studio.errors import StudioError
from studio.queries.known import registry_of, tool_registry
from studio.services.agents import save_draft
from studio.services.audit import Actor
from studio.web.editor import answer, base_of, editor_page, refused, wants_json, writable_agent
from studio.web.editor_agents import with_agent, with_agent_setting, without_agent
from studio.web.editor_form import CONTROLS, canonical_root, node_at, parsed, shown
from studio.web.editor_policy import POLICY
from studio.web.editor_states import state_control
from studio.web.editor_tools import OWN_SETTINGS, with_setting, with_tool, without_tool
from studio.web.editor_triggers import with_trigger, with_trigger_setting, without_trigger
from studio.web.state_edits import (
    has_place,
    with_move,
    with_name,
    with_state,
    with_states,
    with_variable,
    without_part,
)
from studio.web.typed_text import as_typed, as_written

SETTINGS = OWN_SETTINGS | set(POLICY)


@require_POST
def agent_fields(request: HttpRequest, name: str) -> HttpResponse:
    """Edits a text that is sent and gives it back unsaved; without one, edits the draft and saves it."""
    agent = writable_agent(request, name)
    text = as_typed(request.POST.get("text", agent.draft))
    posted = {key: values[-1] for key, values in request.POST.lists()}
    try:
        edited = edited_text(text, posted, registry_of(agent.project))
    except (EditRefused, ValueError) as error:
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


def edited_text(text: str, posted: Mapping[str, str], registry: Registry | None = None) -> str:
    """The text after every edit that the posted values ask for; what they do not change stays as it is.

    What gets another name gets it last: the other fields are posted under the name that the page was drawn with.
    `registry`: the tools that it may name; the built-in ones if none is given.
    Raises EditRefused, NotANumber, NotPairs, NotAName.
    """
    for key, typed in sorted(posted.items(), key=lambda item: item[0].startswith("rename_")):
        text = _edited(text, read_agent_file(text), key, typed, registry=registry or tool_registry())
    return text


def _edited(text: str, file: AgentFile, key: str, typed: str, *, registry: Registry) -> str:
    kind, _, rest = key.partition(":")
    match kind:
        case "field":
            return _with_field(text, file, rest, typed)
        case "tool":
            return _with_tool_setting(text, file, rest, typed, registry=registry)
        case "agent":
            index, _, setting = rest.partition(":")
            is_index = index.isdecimal()
            return with_agent_setting(text, file, int(index), key=setting, typed=typed) if is_index else text
        case "trigger":
            index, _, setting = rest.partition(":")
            return with_trigger_setting(text, file, int(index), key=setting, typed=typed) if index.isdecimal() else text
        case "rename_state" | "rename_variable":
            return with_name(text, kind, rest, typed)
        case "redirect_state":
            return redirect_state(text, rest, typed)
        case "add_move" if rest:
            return with_move(text, file, rest, typed)
        case _:
            return _with_part(text, file, kind, typed)


def _with_part(text: str, file: AgentFile, kind: str, typed: str) -> str:
    """One tool, agent, state, move or variable more or less."""
    match kind:
        case "add_tool":
            return with_tool(text, file, typed)
        case "remove_tool" if typed.isdecimal():
            return without_tool(text, int(typed))
        case "add_agent":
            return with_agent(text, file, typed)
        case "remove_agent" if typed.isdecimal():
            return without_agent(text, int(typed))
        case "add_trigger":
            return with_trigger(text, file, typed)
        case "remove_trigger" if typed.isdecimal():
            return without_trigger(text, file, int(typed))
        case "add_states":
            return with_states(text)
        case "remove_states":
            return edit(text, "states", None)
        case "new_state" if typed.strip():
            return with_state(text, file, typed)
        case "new_variable" if typed.strip():
            return with_variable(text, file, typed)
        case "add_move":
            return with_move(text, file, typed)
        case "remove_state_part" if typed:
            return without_part(text, file, typed.split(":"))
        case _:
            return text


def _with_field(text: str, file: AgentFile, path: str, typed: str) -> str:
    control = CONTROLS.get(path) or state_control(path)
    root = canonical_root(file) if path in CONTROLS else file.document
    if control is None or not has_place(file, path.split(".")):
        return text
    node = node_at(root, path.split(".")) if root is not None else None
    now = shown(control, plain_value(node) if node is not None else None)
    if typed.replace("\r\n", "\n") == now:
        return text
    value = parsed(control, typed)
    if value is None and path not in CONTROLS:
        return without_part(text, file, path.split(".")[1:])
    return edit(text, path, value)


def _with_tool_setting(text: str, file: AgentFile, rest: str, typed: str, *, registry: Registry) -> str:
    index, _, setting = rest.partition(":")
    if setting not in SETTINGS or not index.isdecimal():
        return text
    return with_setting(text, file, int(index), key=setting, typed=typed, registry=registry)
