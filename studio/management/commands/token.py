"""`manage.py token USER --name N` prints a new API token, once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from studio.management.refusals import as_command_errors, user_named
from studio.rights import Scope
from studio.services.audit import Actor
from studio.services.tokens import create_token


class Command(BaseCommand):
    help = "Makes an API token for a person and prints it. It is not shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--name", required=True, help="what will use it, such as nightly-report")
        parser.add_argument("--expires-days", type=int, default=90, help="1 to 3650; 90 if left out")
        parser.add_argument("--read-only", action="store_true")

    def handle(
        self, *args: Any, user: str, name: str, expires_days: int, read_only: bool = False, **options: Any
    ) -> None:
        scopes = (Scope.READ,) if read_only else tuple(Scope)
        with as_command_errors():
            _, text = create_token(Actor.terminal(), user_named(user), name, expires_days=expires_days, scopes=scopes)
        self.stdout.write(text)
