"""What the checker found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A row that breaks a promise. `where` names it; `sentence` says what is wrong with it."""

    check: str
    where: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.check}: {self.where}: {self.sentence}"
