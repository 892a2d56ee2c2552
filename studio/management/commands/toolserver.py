"""`manage.py toolserver add|look|accept|list|remove`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from runtime.tools.mcp.listing import sha256_of
from studio.management.refusals import as_command_errors
from studio.models import ToolSource
from studio.services.accounts import default_project
from studio.services.audit import Actor
from studio.services.tool_sources import accept_listing, add_program, found_tools, look_at_server, remove_source


class Command(BaseCommand):
    help = "MCP servers that are programs of this machine. Only who may use this terminal says which are started."

    def add_arguments(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        add = commands.add_parser("add", help="starts nothing; `look` starts the program and asks it for its tools")
        add.add_argument("name", help="what agent files call it, such as shop")
        add.add_argument("command", help="the whole path of the program")
        add.add_argument("argument", nargs="*", help="its arguments, after --")
        commands.add_parser("look", help="shows what it says of its tools").add_argument("name")
        commands.add_parser("accept", help="opens all tools as `look` showed them").add_argument("name")
        commands.add_parser("remove").add_argument("name")
        commands.add_parser("list")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        actor = Actor.terminal()
        with as_command_errors():
            match action:
                case "add":
                    add_program(actor, default_project(), options["name"], options["command"], options["argument"])
                    self.stdout.write(f"{options['name']} is there. manage.py toolserver look {options['name']}")
                case "look":
                    self._look(look_at_server(actor, _named(options["name"])))
                case "accept":
                    source = _named(options["name"])
                    listed = found_tools(source)
                    accept_listing(actor, source, sha256_of(listed), [tool.name for tool in listed])
                case "remove":
                    remove_source(actor, _named(options["name"]))
                case "list":
                    self._list()

    def _look(self, source: ToolSource) -> None:
        if source.fault:
            raise CommandError(source.fault)
        for tool in found_tools(source):
            self.stdout.write(f"{tool.name}\t{tool.description}")
        if not source.is_changed:
            self.stdout.write(f"{source.name} says of its tools what was accepted.")

    def _list(self) -> None:
        for source in ToolSource.objects.filter(kind=ToolSource.Kind.PROGRAM).order_by("name"):
            state = "closed" if source.is_changed else "open"
            self.stdout.write("\t".join([source.name, state, source.settings["command"], *source.settings["args"]]))


def _named(name: str) -> ToolSource:
    found = ToolSource.objects.filter(project=default_project(), name=name, kind=ToolSource.Kind.PROGRAM)
    source = found.select_related("project").first()
    if source is None:
        raise CommandError(f"There is no program named {name}. manage.py toolserver list shows them.")
    return source
