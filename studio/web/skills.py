"""Settings: the skills of a project."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import NotAllowed, Refused, StudioError
from studio.models import Skill
from studio.queries.agents import project_for_new_agents
from studio.queries.skills import skill_rows
from studio.services.audit import Actor
from studio.services.skills import MOST_BYTES, Upload, delete_skill, save_skill
from studio.web.person import person
from studio.web.posted import posted_from


@require_safe
def skills(request: HttpRequest) -> HttpResponse:
    """All skills with who uses them, and a form for a new one."""
    return _page(request)


@posted_from("settings-skills")
def skill_upload(request: HttpRequest) -> HttpResponse:
    """Takes a folder, as single files or as an archive; a skill of the same name is replaced."""
    project = project_for_new_agents(person(request))
    if project is None:
        raise NotAllowed("add skills", "an administrator to make you an author")
    try:
        skill, is_new = save_skill(Actor.of(request), project, _uploads(request))
    except StudioError as error:
        return _page(request, problem=str(error), status=error.status)
    messages.success(request, f"Skill {skill.name} is {'added' if is_new else 'replaced'}")
    return redirect("settings-skills")


@require_POST
def skill_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    """Takes a skill away that no agent's file names."""
    skill = get_object_or_404(Skill.objects.visible_to(person(request)).select_related("project"), public_id=public_id)
    try:
        delete_skill(Actor.of(request), skill)
    except Refused as error:
        return _page(request, problem=str(error), status=error.status)
    messages.success(request, f"Skill {skill.name} is deleted")
    return redirect("settings-skills")


def _uploads(request: HttpRequest) -> list[Upload]:
    files = request.FILES.getlist("files")
    if not files:
        raise Refused("Choose SKILL.md and the texts that belong to it, or the whole folder as a .zip file.")
    if sum(file.size or 0 for file in files) > MOST_BYTES:
        raise Refused("These files are too large for a skill: at most 2 MB together.")
    return [Upload(file.name or "", file.read()) for file in files]


def _page(request: HttpRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    context = {
        "skills": skill_rows(person(request)),
        "may_add": project_for_new_agents(person(request)) is not None,
        "problem": problem,
        "section": "skills",
    }
    return render(request, "settings/skills.html", context, status=status)
