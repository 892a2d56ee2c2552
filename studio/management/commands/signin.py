"""`manage.py signin USER` prints a link that signs the person in once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from studio.management.refusals import as_command_errors, user_named
from studio.services.audit import Actor
from studio.services.signin import make_sign_in_link, sign_in_url


class Command(BaseCommand):
    help = "Prints a sign-in link for a person. It works once, for 15 minutes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        with as_command_errors():
            secret = make_sign_in_link(Actor.terminal(), user_named(name))
        self.stdout.write(sign_in_url(secret))
