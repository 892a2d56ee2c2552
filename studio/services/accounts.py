"""People and their roles."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from studio.errors import Refused
from studio.models import Membership, Project, User
from studio.rights import RIGHTS, Right, Role
from studio.services.audit import Actor, record
from studio.services.holding import hold_rollouts
from studio.services.signin import sign_out_everywhere

DEFAULT_PROJECT = "default"
LABELS = {"username": "Name", "display_name": "Full name", "email": "E-mail address"}


def default_project() -> Project:
    """The project of an installation that has not named another; made when first asked for."""
    project, _ = Project.objects.get_or_create(slug=DEFAULT_PROJECT, defaults={"name": "Default"})
    return project


@transaction.atomic
def add_user(
    actor: Actor,
    username: str,
    *,
    role: Role | None = None,
    project: Project | None = None,
    display_name: str = "",
    email: str = "",
    is_administrator: bool = False,
) -> User:
    """A new person without a password, with the role in the project (the default one if none is given).

    Raises NotAllowed, or Refused for a bad or taken name, a bad address.
    """
    actor.must_administer("add people")
    user = User(username=username, display_name=display_name, email=email, is_administrator=is_administrator)
    user.set_unusable_password()
    try:
        user.full_clean()
    except ValidationError as error:
        raise Refused(_sentence(error, username)) from None
    user.save()
    record(actor, "user.added", username, after={"is_administrator": is_administrator})
    if role is not None:
        set_role(actor, user, project or default_project(), role)
    return user


def ensure_administrator(actor: Actor, username: str) -> User:
    """The first enabled administrator; made with this name if there is none."""
    found = User.objects.enabled().filter(is_administrator=True).order_by("pk").first()
    return found or add_user(actor, username, role=Role.SUPERVISOR, is_administrator=True)


@transaction.atomic
def set_role(actor: Actor, user: User, project: Project, role: Role | None) -> None:
    """Gives the person one role in the project, or none. Raises NotAllowed."""
    actor.must_administer("change roles")
    current = Membership.objects.filter(user=user, project=project).first()
    before = current.role if current else None
    if role is None:
        Membership.objects.filter(user=user, project=project).delete()
    else:
        Membership.objects.update_or_create(user=user, project=project, defaults={"role": role})
    if before != role:
        told = {"project": project.slug}
        record(actor, "role.changed", user.username, before=told | {"role": before}, after=told | {"role": role})
        _hold_what_the_role_allowed(user, project, role)


def _hold_what_the_role_allowed(user: User, project: Project, role: Role | None) -> None:
    """Without a role nothing of the person's goes on there; without the right to write, none of their drafts."""
    if user.is_administrator:
        return
    if role is None:
        reason = f"{user} left the project {project.name}."
        transaction.on_commit(lambda: hold_rollouts(user, reason, project=project))
    elif Right.WRITE_AGENTS not in RIGHTS[role]:
        reason = f"{user} may not try drafts any more."
        transaction.on_commit(lambda: hold_rollouts(user, reason, project=project, drafts_only=True))


@transaction.atomic
def set_administrator(actor: Actor, user: User, is_administrator: bool) -> None:
    """Makes the person an administrator, or no longer one. Raises NotAllowed, or Refused for the last one."""
    actor.must_administer("change who administers")
    if user.is_administrator == is_administrator:
        return
    if not is_administrator:
        _must_leave_an_administrator(user)
    User.objects.filter(pk=user.pk).update(is_administrator=is_administrator)
    user.is_administrator = is_administrator
    record(
        actor,
        "administrator.changed",
        user.username,
        before={"is": not is_administrator},
        after={"is": is_administrator},
    )


@transaction.atomic
def disable_user(actor: Actor, user: User) -> None:
    """Closes every door to the person at once. Raises NotAllowed, or Refused for the last administrator."""
    actor.must_administer("disable people")
    if not user.is_active:
        return
    _must_leave_an_administrator(user)
    user.disabled_at = timezone.now()
    user.save(update_fields=["disabled_at"])
    sign_out_everywhere(user)
    record(actor, "user.disabled", user.username)
    transaction.on_commit(lambda: hold_rollouts(user, f"{user} was disabled."))


@transaction.atomic
def enable_user(actor: Actor, user: User) -> None:
    """Lets the person in again; their tokens work again unless revoked. Raises NotAllowed."""
    actor.must_administer("enable people")
    if user.is_active:
        return
    user.disabled_at = None
    user.save(update_fields=["disabled_at"])
    record(actor, "user.enabled", user.username)


@transaction.atomic
def change_password(actor: Actor, user: User, password: str, *, keep_session: str | None = None) -> None:
    """Sets the person's own password and signs out their other browsers. Raises NotAllowed, or Refused if too weak."""
    if actor.user != user:
        actor.must_administer("change another person's password")
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from None
    user.set_password(password)
    user.save(update_fields=["password"])
    sign_out_everywhere(user, keep_session=keep_session)
    record(actor, "password.changed", user.username)


def _must_leave_an_administrator(user: User) -> None:
    others = User.objects.select_for_update().enabled().filter(is_administrator=True).exclude(pk=user.pk)
    if user.is_administrator and not others.exists():
        raise Refused(f"{user.username} is the only administrator. Make another person one first.")


def _sentence(error: ValidationError, username: str) -> str:
    if User.objects.filter(username=username).exists():
        return f"The name {username!r} is taken. Choose another."
    return " ".join(
        f"{field.replace('_', ' ').capitalize()}: {message}"
        for field, messages in error.message_dict.items()
        for message in messages
    )
