"""`/memory`: what agents remember of a person; one's own to change, that of others to read with the right to."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import MemoryVersion, Project, User
from studio.queries.memories import memory_detail, memory_rows, people_rows, readable_owner, reads_others
from studio.services.audit import Actor
from studio.services.memories import (
    FORGET,
    add_memory,
    change_memory,
    confirm_memory,
    export_memory,
    forget_everything,
    forget_memory,
    undo_memory,
)
from studio.services.prompts import note_reading
from studio.web.form import Form
from studio.web.fresh import is_fresh
from studio.web.person import person
from studio.web.posted import posted_from


class MemoryForm(Form):
    key = forms.CharField(max_length=100, help_text="Such as language or orders.last.", widget=forms.TextInput)
    value = forms.CharField(label="What is to be remembered", max_length=4000, widget=forms.Textarea(attrs={"rows": 3}))


@require_safe
def memory(request: HttpRequest) -> HttpResponse:
    """One's own memory."""
    return _page(request, person(request))


@require_safe
def memory_person(request: HttpRequest, public_id: str) -> HttpResponse:
    """The memory of one person; another's is recorded as read."""
    return _page(request, readable_owner(person(request), public_id))


@posted_from("memory")
def memory_add(request: HttpRequest) -> HttpResponse:
    """Remembers something by one's own hand."""
    form = MemoryForm(request.POST)
    if not form.is_valid():
        return _page(request, person(request), form=form, status=400)
    project = Project.objects.visible_to(person(request)).filter(slug=request.POST.get("project", "")).first()
    if project is None:
        raise Http404("There is no such project, or you are not in it.")
    try:
        add_memory(Actor.of(request), project, form.cleaned_data["key"], form.cleaned_data["value"])
    except StudioError as error:
        form.add_error("key", str(error))
        return _page(request, person(request), form=form, status=error.status)
    messages.success(request, "Remembered")
    return redirect("memory")


@require_POST
def memory_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Another value."""
    return _acted(request, pk, "Changed", lambda actor, it: change_memory(actor, it, request.POST.get("value", "")))


@require_POST
def memory_undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Back to the value before."""
    return _acted(request, pk, "The change is undone", undo_memory)


@require_POST
def memory_confirm(request: HttpRequest, pk: int) -> HttpResponse:
    """A value that was held back may be used."""
    return _acted(request, pk, "Confirmed: agents may be shown it", confirm_memory)


@require_POST
def memory_forget(request: HttpRequest, pk: int) -> HttpResponse:
    """Erases one key."""
    return _acted(request, pk, "Erased", forget_memory)


@posted_from("memory")
def memory_forget_all(request: HttpRequest) -> HttpResponse:
    """Erases everything, once the word is typed."""
    try:
        count = forget_everything(Actor.of(request), request.POST.get("typed", ""))
    except StudioError as error:
        return _page(request, person(request), problem=str(error), status=error.status)
    messages.success(request, "1 key is erased" if count == 1 else f"{count} keys are erased")
    return redirect("memory")


@require_POST
def memory_export(request: HttpRequest) -> HttpResponse:
    """All that is remembered of oneself, as a file; wants a fresh sign-in and is recorded."""
    if not is_fresh(request):
        return redirect(f"{reverse('sign-in-again')}?{urlencode({'next': reverse('memory')})}")
    text = json.dumps(export_memory(Actor.of(request)), ensure_ascii=False, indent=2)
    disposition = content_disposition_header(True, "memory.json") or "attachment"
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(text.encode(), content_type="application/json", headers=headers)


def _acted(request: HttpRequest, pk: int, done: str, act: Callable[[Actor, MemoryVersion], None]) -> HttpResponse:
    version = get_object_or_404(
        MemoryVersion.objects.visible_to(person(request)).select_related("project", "owner"), pk=pk
    )
    try:
        act(Actor.of(request), version)
    except StudioError as error:
        return _page(request, version.owner, chosen=pk, problem=str(error), status=error.status)
    messages.success(request, done)
    return redirect("memory")


def _page(
    request: HttpRequest,
    owner: User,
    *,
    chosen: int | None = None,
    form: MemoryForm | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    viewer = person(request)
    if owner != viewer:
        note_reading(Actor.of(request), owner, "on the memory page")
    asked = request.GET.get("entry", "")
    pk = chosen or (int(asked) if asked.isdecimal() and len(asked) < 16 else None)
    words = request.GET.get("q", "").strip()
    here = reverse("memory") if owner == viewer else reverse("memory-person", args=[owner.public_id])
    context: dict[str, Any] = {
        "here": here,
        "add_url": f"{here}?add",
        "forget_url": f"{here}?forget",
        "owner": owner,
        "is_own": owner == viewer,
        "people": people_rows(viewer, words) if reads_others(viewer) else None,
        "words": words,
        "rows": memory_rows(viewer, owner),
        "detail": memory_detail(viewer, owner, pk) if pk else None,
        "projects": Project.objects.visible_to(viewer),
        "form": form or MemoryForm(),
        "is_adding": form is not None or "add" in request.GET,
        "is_forgetting": "forget" in request.GET,
        "is_fresh": is_fresh(request),
        "forget_word": FORGET,
        "problem": problem,
    }
    return render(request, "memory/list.html", context, status=status)
