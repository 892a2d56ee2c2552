"""What the services of agents refuse."""

from datetime import datetime

from runtime.domain.problem import Problem
from studio.errors import StudioError


class TextRefused(StudioError):
    """A text that cannot be kept at all: too long, or with characters that nothing can show."""

    status = 422

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems

    def __str__(self) -> str:
        first = self.problems[0]
        return f"The text was not saved. Line {first.line}: {first.message}"


class NotPublishable(StudioError):
    """A draft with errors."""

    status = 422

    def __init__(self, name: str, problems: tuple[Problem, ...]) -> None:
        self.name, self.problems = name, problems

    def __str__(self) -> str:
        first, more = self.problems[0], len(self.problems) - 1
        others = f" {more} more {'problem stands' if more == 1 else 'problems stand'} in its way." if more else ""
        return f"{self.name} cannot be published yet. Line {first.line}: {first.message}{others}"


class DraftMoved(StudioError):
    """Somebody saved the draft since it was opened. `text` and `number` are what is stored now."""

    status = 409

    def __init__(self, who: str, at: datetime, number: int, text: str) -> None:
        self.who, self.at, self.number, self.text = who, at, number, text

    def __str__(self) -> str:
        return f"{self.who} saved while you were editing. Your text is still here: compare both, then save again."


class NameTaken(StudioError):
    """Another agent of the project has the name."""

    status = 409

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"There is an agent called {self.name} already. Choose another name."


class NotDeletable(StudioError):
    """An agent that trajectories name."""

    status = 409

    def __init__(self, name: str, rollouts: int) -> None:
        self.name, self.rollouts = name, rollouts

    def __str__(self) -> str:
        what = f"{self.rollouts} {'rollout' if self.rollouts == 1 else 'rollouts'}" if self.rollouts else "sessions"
        return f"{self.name} has {what}, whose records name it. Archive it instead: they stay readable."
