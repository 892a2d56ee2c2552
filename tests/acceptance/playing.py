"""One run of the story with a kill somewhere in it, compared with the run that nobody killed."""

from pathlib import Path

from tests.acceptance.stage import Run, Stage
from tests.acceptance.story import Story


def played(stage: Stage, folder: Path, kill_at: str, happened: dict[str, str] | None = None) -> Run:
    """Play it to its end; `happened` = what to say about calls whose outcome is not known."""
    Story(stage.ledger).tell(stage.model)
    run = Run(stage, folder)
    run.happened = happened or {}
    run.play(kill_at)
    run.given = run.results
    run.remember()
    return run


def check_equal(run: Run, whole: Run, kill_at: str) -> None:
    """Trajectory, prompts and ledger are those of the uninterrupted run."""
    assert run.facts == whole.facts, kill_at
    assert run.shown == whole.shown, kill_at
    assert set(run.acts) == set(whole.acts), kill_at
