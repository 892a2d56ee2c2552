"""The table of what each role may do, as the members page shows it; derived from the rights themselves."""

from dataclasses import dataclass

from studio.rights import RIGHTS, Right, Role

YES = "yes"


@dataclass(frozen=True, slots=True)
class RightRow:
    """`cells`: one word for each role in the order of `Role`; empty where the role may not."""

    sentence: str
    cells: tuple[str, ...]


def right_rows() -> list[RightRow]:
    """One row for each right; administrators may everything and have no column."""
    return [
        RightRow(sentence, tuple(_cell(role, right, narrower, word) for role in Role))
        for sentence, right, narrower, word in ROWS
    ]


def _cell(role: Role, right: Right, narrower: Right | None, word: str) -> str:
    if right in RIGHTS[role]:
        return YES
    return word if narrower in RIGHTS[role] else ""


ROWS: list[tuple[str, Right, Right | None, str]] = [
    ("Talk to published agents; own sessions, memory and trajectories", Right.TALK, None, ""),
    ("Write, test and publish agents and tools", Right.WRITE_AGENTS, None, ""),
    ("Read others' sessions and trajectories", Right.READ_OTHERS, Right.WRITE_AGENTS, "if shared"),
    ("Annotate, score and keep test sets", Right.REVIEW, Right.REVIEW_OWN, "own"),
    ("Decide approvals", Right.DECIDE_ANY, Right.DECIDE_NAMED, "if named"),
    ("Instruct, pause, cancel and retry others' rollouts", Right.SUPERVISE, None, ""),
    ("Read others' memory, which is recorded", Right.READ_OTHERS_MEMORY, None, ""),
    ("Models and keys, hosts, sandbox, members, retention", Right.ADMINISTER, None, ""),
]
