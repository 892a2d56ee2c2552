"""Projects, people, their roles and their API tokens."""

from typing import Any, Self

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from studio.public_id import new_project_id, new_token_id, new_user_id
from studio.rights import Right, Role, roles_with

NAME = RegexValidator(r"^[a-z0-9][a-z0-9._-]{0,63}\Z", "Use small letters, digits, dots, dashes or underscores.")


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: "User") -> Self:
        """The projects that the user has a role in; all of them for an administrator."""
        return self.with_right(user, Right.TALK)

    def with_right(self, user: "User", right: Right) -> Self:
        """The projects in which the user has the right."""
        if not user.is_active:
            return self.none()
        if user.is_administrator:
            return self.all()
        return self.filter(pk__in=user.memberships.filter(role__in=roles_with(right)).values("project"))


class Project(models.Model):
    """What agents, tools, sessions and test sets belong to."""

    public_id = models.CharField(max_length=32, unique=True, default=new_project_id, editable=False)
    slug = models.CharField(max_length=64, unique=True, validators=[NAME])
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ProjectQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class UserQuerySet(models.QuerySet["User"]):
    def enabled(self) -> Self:
        return self.filter(disabled_at=None)

    def visible_to(self, user: "User") -> Self:
        """The user and the people who share a project; everybody for an administrator."""
        if not user.is_active:
            return self.none()
        if user.is_administrator:
            return self.all()
        projects = user.memberships.values("project")
        shared = Membership.objects.filter(project__in=projects).values("user")
        return self.filter(Q(pk=user.pk) | Q(pk__in=shared))


class UserManager(BaseUserManager["User"].from_queryset(UserQuerySet)):  # type: ignore[misc]  # django-stubs cannot see through from_queryset of a generic
    def create_superuser(self, username: str, password: str | None = None, **fields: Any) -> "User":
        """For Django's own `createsuperuser`; the studio makes people through `services.accounts`."""
        user = User(username=username, is_administrator=True, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractBaseUser):
    """A person. Never deleted, only disabled, so that the audit log keeps its names."""

    public_id = models.CharField(max_length=32, unique=True, default=new_user_id, editable=False)
    username = models.CharField(max_length=64, unique=True, validators=[NAME])
    display_name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    is_administrator = models.BooleanField(default=False)
    disabled_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = UserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.display_name or self.username

    @property
    def letters(self) -> str:
        """The initials that stand in the person's avatar."""
        words = str(self).replace(".", " ").split()
        return "".join(word[0] for word in words[:1] + words[1:][-1:]).upper()

    @property
    def is_active(self) -> bool:  # type: ignore[override]  # Django has a class attribute here
        return self.disabled_at is None

    @property
    def is_superuser(self) -> bool:
        """Django's name for an administrator who is not disabled."""
        return self.is_active and self.is_administrator

    @property
    def is_staff(self) -> bool:
        return self.is_superuser

    def has_perm(self, _permission: str, _object: object = None) -> bool:
        """For Django's admin, which only administrators use."""
        return self.is_superuser

    def has_perms(self, _permissions: object, _object: object = None) -> bool:
        return self.is_superuser

    def has_module_perms(self, _app: str) -> bool:
        return self.is_superuser


class Membership(models.Model):
    """The role of a person in a project; one each."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "project"], name="one_role_per_project"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} in {self.project}"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def visible_to(self, user: "User") -> Self:
        """One's own; an administrator sees all of them, never their secret."""
        if not user.is_active:
            return self.none()
        return self.all() if user.is_administrator else self.filter(user=user)

    def usable(self) -> Self:
        """Neither revoked nor expired, of a person who is not disabled."""
        unexpired = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
        return self.filter(unexpired, revoked_at=None, user__disabled_at=None)


class ApiToken(models.Model):
    """A Bearer token. The secret is shown once and only its SHA-256 is kept."""

    public_id = models.CharField(max_length=32, unique=True, default=new_token_id, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=16, unique=True)
    sha256 = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)  # of rights.Scope
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()
