"""`manage.py users add|list|role|disable|enable`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from studio.management.refusals import as_command_errors, project_named, user_named
from studio.models import User
from studio.rights import Role
from studio.services.accounts import add_user, default_project, disable_user, enable_user, set_administrator, set_role
from studio.services.audit import Actor
from studio.services.signin import make_sign_in_link, sign_in_url

ADMINISTRATOR = "admin"
ROLES = [*Role.values, ADMINISTRATOR]


class Command(BaseCommand):
    help = "Adds people, lists them, changes their role, or closes and opens their account."

    def add_arguments(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        for action in ("add", "role"):
            command = commands.add_parser(action)
            command.add_argument("name")
            command.add_argument("--role", choices=ROLES, required=action == "role", default=Role.MEMBER.value)
            command.add_argument("--project", help="slug of a project; the default one if left out")
            if action == "add":
                command.add_argument("--full-name", default="")
                command.add_argument("--email", default="")
        for action in ("disable", "enable"):
            commands.add_parser(action).add_argument("name")
        commands.add_parser("list")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        with as_command_errors():
            match action:
                case "add":
                    self._add(**options)
                case "role":
                    self._role(**options)
                case "disable":
                    disable_user(Actor.terminal(), user_named(options["name"]))
                case "enable":
                    enable_user(Actor.terminal(), user_named(options["name"]))
                case "list":
                    self._list()

    def _add(self, *, name: str, role: str, project: str | None, full_name: str, email: str, **_: Any) -> None:
        user = add_user(
            Actor.terminal(),
            name,
            role=Role.SUPERVISOR if role == ADMINISTRATOR else Role(role),
            project=project_named(project) if project else None,
            display_name=full_name,
            email=email,
            is_administrator=role == ADMINISTRATOR,
        )
        self.stdout.write(f"{user.username} may sign in once within 15 minutes at")
        self.stdout.write(sign_in_url(make_sign_in_link(Actor.terminal(), user)))

    def _role(self, *, name: str, role: str, project: str | None, **_: Any) -> None:
        user = user_named(name)
        set_administrator(Actor.terminal(), user, role == ADMINISTRATOR)
        if role != ADMINISTRATOR:
            set_role(Actor.terminal(), user, project_named(project) if project else default_project(), Role(role))

    def _list(self) -> None:
        self.stdout.write("\t".join(["USER", "ROLE", "NAME"]))
        for user in User.objects.order_by("username").prefetch_related("memberships__project"):
            roles = [f"{membership.role} in {membership.project.slug}" for membership in user.memberships.all()]
            standing = "disabled" if not user.is_active else ADMINISTRATOR if user.is_administrator else ""
            self.stdout.write("\t".join([user.username, standing or ", ".join(roles) or "no role", str(user)]))
