"""`manage.py models add|list|test|remove`."""

import os
from getpass import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from studio.management.refusals import as_command_errors
from studio.models import ModelConnection
from studio.services.audit import Actor
from studio.services.models import ConnectionFacts, add_connection, check_connection, remove_connection, replace_key

KEY_VARIABLE = "STUDIO_MODEL_KEY"
CLIENT_HELP = "native speaks OpenAI's protocol directly, litellm reaches any provider; left out: what usually fits"


class Command(BaseCommand):
    help = "Adds, lists, tests and removes model connections. Keys are never taken from the command line or shown."

    def add_arguments(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        add = commands.add_parser(
            "add", help=f"the key is read from {KEY_VARIABLE}, or asked for if there is no --address"
        )
        add.add_argument("name", help="what agent files call it, such as our-gpt")
        add.add_argument("--model", required=True, help="provider/model, such as openai/gpt-4.1-mini")
        add.add_argument("--address", default="", help="where the model is reached, if not at its provider")
        add.add_argument("--context-window", type=int, help="tokens")
        add.add_argument("--input-price", type=float, help="US dollars for a million tokens")
        add.add_argument("--output-price", type=float, help="US dollars for a million tokens")
        add.add_argument("--client", default="", choices=["native", "litellm"], help=CLIENT_HELP)
        add.add_argument("--no-key", action="store_true", help="the model needs none")
        commands.add_parser("key", help="replaces the key").add_argument("name")
        commands.add_parser("test", help="asks for one token").add_argument("name")
        commands.add_parser("remove").add_argument("name")
        commands.add_parser("list")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        with as_command_errors():
            match action:
                case "add":
                    self._add(**options)
                case "key":
                    replace_key(Actor.terminal(), _named(options["name"]), _key())
                case "test":
                    self._test(_named(options["name"]))
                case "remove":
                    remove_connection(Actor.terminal(), _named(options["name"]))
                case "list":
                    self._list()

    def _add(self, *, name: str, model: str, address: str, no_key: bool, **options: Any) -> None:
        prices = options["input_price"], options["output_price"]
        facts = ConnectionFacts(model, address, options["context_window"], *prices, options["client"])
        needs_key = not no_key and not (address and KEY_VARIABLE not in os.environ)
        add_connection(Actor.terminal(), name, facts, key=_key() if needs_key else "")
        self.stdout.write(f"{name} is there. Agent files use it by: model: {name}")
        self.stdout.write(f"To see whether it answers: manage.py models test {name}")

    def _test(self, connection: ModelConnection) -> None:
        fault = check_connection(Actor.terminal(), connection)
        if fault:
            raise CommandError(fault)
        self.stdout.write(f"{connection.name} answered.")

    def _list(self) -> None:
        for row in ModelConnection.objects.defer("encrypted_key").order_by("name"):
            key = f"key …{row.key_last4}" if row.key_last4 else ""
            checked = "not tested" if row.checked_at is None else row.check_result or "answered"
            self.stdout.write("\t".join([row.name, row.litellm_model, row.address, key, checked]))


def _named(name: str) -> ModelConnection:
    connection = ModelConnection.objects.filter(name=name).first()
    if connection is None:
        raise CommandError(f"There is no model connection named {name}. manage.py models list shows them.")
    return connection


def _key() -> str:
    return os.environ.get(KEY_VARIABLE) or getpass("Key (not shown): ").strip()
