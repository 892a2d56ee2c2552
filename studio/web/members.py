"""Settings for administrators: people, their roles, and sign-in links for them."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import Project, User
from studio.queries.accounts import members as all_members
from studio.rights import Role
from studio.services.accounts import add_user, default_project, disable_user, enable_user, set_administrator, set_role
from studio.services.audit import Actor
from studio.services.signin import make_sign_in_link
from studio.web.form import Form
from studio.web.fresh import is_fresh, wants_fresh_sign_in
from studio.web.person import person
from studio.web.posted import posted_from
from studio.web.right_rows import right_rows

ADMINISTRATOR = "administrator"
NO_ROLE = "none"
ROLES = [*Role.choices, (ADMINISTRATOR, "Administrator")]


class PersonForm(Form):
    username = forms.CharField(label="Name", max_length=64, help_text="Small letters, such as priya or m.okafor.")
    display_name = forms.CharField(label="Full name", max_length=200, required=False)
    role = forms.ChoiceField(choices=ROLES, initial=Role.MEMBER)


class RoleForm(Form):
    role = forms.ChoiceField(choices=[*ROLES, (NO_ROLE, "No role")])
    project = forms.CharField(max_length=64, required=False)


@require_safe
def members(request: HttpRequest) -> HttpResponse:
    """Everybody with their roles, and what each role may do."""
    return _page(request, PersonForm())


@posted_from("settings-members")
@wants_fresh_sign_in("settings-members")
def member_add(request: HttpRequest) -> HttpResponse:
    """Adds a person and shows the link that signs them in."""
    form = PersonForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    role = form.cleaned_data["role"]
    is_administrator = role == ADMINISTRATOR
    try:
        user = add_user(
            Actor.of(request),
            form.cleaned_data["username"],
            display_name=form.cleaned_data["display_name"],
            role=Role.SUPERVISOR if is_administrator else Role(role),
            is_administrator=is_administrator,
        )
    except StudioError as error:
        form.add_error("username", str(error))
        return _page(request, form, status=error.status)
    return _page(request, PersonForm(), link_for=user)


@require_POST
@wants_fresh_sign_in("settings-members")
def member_role(request: HttpRequest, public_id: str) -> HttpResponse:
    """Gives the person another role in a project, or makes them an administrator."""
    user, form = _member(request, public_id), RoleForm(request.POST)
    if not form.is_valid():
        return _page(request, PersonForm(), status=400)
    role, actor = form.cleaned_data["role"], Actor.of(request)
    set_administrator(actor, user, role == ADMINISTRATOR)
    if role != ADMINISTRATOR:
        set_role(actor, user, _project(request, form.cleaned_data["project"]), None if role == NO_ROLE else Role(role))
    messages.success(request, f"{user} has another role now")
    return redirect("settings-members")


@require_POST
def member_disable(request: HttpRequest, public_id: str) -> HttpResponse:
    """Closes every door to the person at once."""
    user = _member(request, public_id)
    disable_user(Actor.of(request), user)
    messages.success(request, f"{user} is disabled and signed out")
    return redirect("settings-members")


@require_POST
@wants_fresh_sign_in("settings-members")
def member_enable(request: HttpRequest, public_id: str) -> HttpResponse:
    """Lets the person in again."""
    user = _member(request, public_id)
    enable_user(Actor.of(request), user)
    messages.success(request, f"{user} may sign in again")
    return redirect("settings-members")


@require_POST
@wants_fresh_sign_in("settings-members")
def member_link(request: HttpRequest, public_id: str) -> HttpResponse:
    """Shows a new sign-in link for the person, once."""
    return _page(request, PersonForm(), link_for=_member(request, public_id))


def _member(request: HttpRequest, public_id: str) -> User:
    return get_object_or_404(User.objects.visible_to(person(request)), public_id=public_id)


def _project(request: HttpRequest, slug: str) -> Project:
    if not slug:
        return default_project()
    return get_object_or_404(Project.objects.visible_to(person(request)), slug=slug)


def _page(request: HttpRequest, form: PersonForm, *, link_for: User | None = None, status: int = 200) -> HttpResponse:
    link = ""
    if link_for is not None:
        secret = make_sign_in_link(Actor.of(request), link_for)
        link = request.build_absolute_uri(reverse("sign-in-link", args=[secret]))
    context = {
        "form": form,
        "members": all_members(person(request)),
        "roles": ROLES,
        "rights": right_rows(),
        "link": link,
        "link_for": link_for,
        "is_fresh": is_fresh(request),
        "section": "members",
    }
    return render(request, "settings/members.html", context, status=status)
