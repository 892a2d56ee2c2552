"""`manage.py agents apply|list|show|check|export|delete`. Ends with 0, with 1 for problems, with 2 for wrong use."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from runtime.domain.agent_file import decode_agent_file
from runtime.domain.problem import Problem, Severity
from runtime.domain.workflow_file import is_workflow_text
from studio.errors import StudioError
from studio.models import Agent, AgentVersion
from studio.queries.agent_facts import facts_of
from studio.queries.agents import draft_state
from studio.services.accounts import default_project
from studio.services.agent_errors import NotPublishable, TextRefused
from studio.services.agent_shelf import delete_agent, import_text
from studio.services.agents import check, publish
from studio.services.audit import Actor
from studio.services.workflows import check_workflow, save_workflow

PROBLEMS, WRONG_USE = 1, 2


class Command(BaseCommand):
    help = "Applies agent files, and lists, shows, checks, exports and deletes agents."

    def add_arguments(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        apply = commands.add_parser(
            "apply", help="makes each file the draft of the agent that it names; keeps workflow files"
        )
        apply.add_argument("files", nargs="+", type=Path, metavar="FILE")
        apply.add_argument("--publish", action="store_true", help="and publish what changed")
        apply.add_argument("--note", default="", help="what changed, for the history")
        commands.add_parser("list")
        commands.add_parser("show", help="one agent and its versions").add_argument("name")
        checked = commands.add_parser("check", help="prints file:line:column: severity: sentence; nothing is stored")
        checked.add_argument("files", nargs="+", type=Path, metavar="FILE")
        export = commands.add_parser("export", help="prints the draft, or a version, as it was written")
        export.add_argument("name")
        export.add_argument("--version", type=int, dest="number")
        commands.add_parser("delete", help="an agent without rollouts").add_argument("name")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        try:
            match action:
                case "apply":
                    self._apply(options["files"], publishes=options["publish"], note=options["note"])
                case "list":
                    self._list()
                case "show":
                    self._show(_named(options["name"]))
                case "check":
                    self._check(options["files"])
                case "export":
                    self._export(_named(options["name"]), options["number"])
                case "delete":
                    delete_agent(Actor.terminal(), _named(options["name"]))
                    self.stdout.write(f"{options['name']} is deleted")
        except StudioError as error:
            raise CommandError(str(error), returncode=PROBLEMS) from None

    def _apply(self, files: list[Path], *, publishes: bool, note: str) -> None:
        """Saves all drafts first, then publishes, so that files may name each other in any order; workflows last."""
        texts = [(file, _read(file)) for file in files]
        workflows = [(file, text) for file, text in texts if isinstance(text, str) and is_workflow_text(text)]
        others = [item for item in texts if item not in workflows]
        agents = [(file, agent) for file, text in others if (agent := self._applied(file, text))]
        failed = len(agents) < len(others)
        for file, agent in agents if publishes else ():
            failed |= not self._published(file, agent, note)
        for file, text in workflows:
            failed |= not self._workflow_applied(file, text)
        if failed:
            raise CommandError("Not everything was applied; the problems stand above.", returncode=PROBLEMS)

    def _applied(self, file: Path, text: str | Problem) -> Agent | None:
        if isinstance(text, Problem):
            self._say(file, (text,))
            return None
        try:
            agent, is_new = import_text(Actor.terminal(), default_project(), text)
        except TextRefused as error:
            self._say(file, error.problems)
            return None
        except StudioError as error:
            self._say(file, check(default_project(), text).problems)
            self.stderr.write(f"{file}: {error}")
            return None
        self.stdout.write(f"{agent.name}: {'made' if is_new else 'draft saved'}")
        return agent

    def _workflow_applied(self, file: Path, text: str) -> bool:
        self._say(file, check_workflow(default_project(), text).problems)
        try:
            workflow, is_new = save_workflow(Actor.terminal(), default_project(), text)
        except StudioError as error:
            self.stderr.write(f"{file}: {error}")
            return False
        self.stdout.write(f"{workflow.name}: {'workflow made' if is_new else 'workflow saved'}")
        return True

    def _published(self, file: Path, agent: Agent, note: str) -> bool:
        state = draft_state(agent, agent.draft)
        if not state.is_edited:
            self.stdout.write(f"{agent.name}: v{state.live_number} has this text already")
            return True
        try:
            version = publish(Actor.terminal(), agent, note)
        except NotPublishable as error:
            self._say(file, error.problems)
            return False
        except StudioError as error:
            self.stderr.write(f"{file}: {error}")
            return False
        self.stdout.write(f"{version.agent.name}: published v{version.number}")
        return True

    def _check(self, files: list[Path]) -> None:
        failed = False
        for file in files:
            problems = _problems(_read(file))
            self._say(file, problems)
            if not problems:
                self.stdout.write(f"{file}: no problems")
            failed |= any(problem.severity is Severity.ERROR for problem in problems)
        if failed:
            raise CommandError("There are problems.", returncode=PROBLEMS)

    def _list(self) -> None:
        for agent in Agent.objects.order_by("name"):
            state = draft_state(agent, agent.draft)
            version = f"v{state.live_number}" if state.live_number else "draft"
            edited = "unpublished edits" if state.live_number and state.is_edited else ""
            archived = "archived" if agent.archived_at else ""
            marks = ", ".join(mark for mark in (edited, archived) if mark)
            self.stdout.write("\t".join([agent.name, version, facts_of(agent.draft).model, marks]))

    def _show(self, agent: Agent) -> None:
        facts = facts_of(agent.draft)
        for word, said in (("name", agent.name), ("title", agent.title), ("model", facts.model)):
            self.stdout.write(f"{word}:\t{said}")
        for version in agent.versions.select_related("by").order_by("-number"):
            who = version.by or "terminal"
            self.stdout.write(f"v{version.number}\t{version.at:%Y-%m-%d %H:%M}Z\t{who}\t{version.note}")
        for problem in check(agent.project, agent.draft, agent).problems:
            self.stdout.write(f"draft:{problem}")

    def _export(self, agent: Agent, number: int | None) -> None:
        text = agent.draft if number is None else _version(agent, number).text
        self.stdout.write(text, ending="")

    def _say(self, file: Path, problems: tuple[Problem, ...]) -> None:
        for problem in problems:
            self.stdout.write(f"{file}:{problem}")


def _problems(text: str | Problem) -> tuple[Problem, ...]:
    if isinstance(text, Problem):
        return (text,)
    return (check_workflow if is_workflow_text(text) else check)(default_project(), text).problems


def _read(file: Path) -> str | Problem:
    try:
        return decode_agent_file(file.read_bytes())
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.", returncode=WRONG_USE) from None


def _named(name: str) -> Agent:
    agent = Agent.objects.filter(name=name).select_related("project").order_by("project").first()
    if agent is None:
        known = ", ".join(Agent.objects.order_by("name").values_list("name", flat=True)[:20])
        raise CommandError(f"There is no agent called {name}. There are: {known or 'none yet'}.", returncode=WRONG_USE)
    return agent


def _version(agent: Agent, number: int) -> AgentVersion:
    version = agent.versions.filter(number=number).first()
    if version is None:
        raise CommandError(f"{agent.name} has no version {number}.", returncode=WRONG_USE)
    return version
