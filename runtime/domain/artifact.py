"""Large texts: the model and the trajectory get the head, the size and a way to read on."""

from dataclasses import dataclass

from runtime.domain.events import ArtifactRef

RESULT_BYTES = 32 * 1024
INPUT_BYTES = 64 * 1024
HEAD_CHARACTERS = 16_000


@dataclass(frozen=True, slots=True)
class NewArtifact:
    """A large text to keep beside a rollout; the id is unique within the rollout."""

    id: str
    text: str


def shortened(
    text: str, limit_bytes: int, artifact_id: str, *, reads_on: bool = True
) -> tuple[str, NewArtifact | None, ArtifactRef | None]:
    """The text, or its head with a note and the artifact that holds all of it. `reads_on`: the agent has tools."""
    if len(text) <= limit_bytes // 4 or len(text.encode(errors="replace")) <= limit_bytes:
        return text, None, None
    way_on = f'Read on with read_artifact, id "{artifact_id}", offset {HEAD_CHARACTERS}.'
    if not reads_on:
        way_on = "You have no tools to read on with: say so, and ask for the part that matters."
    note = f"\n\n[The first {HEAD_CHARACTERS} of {len(text)} characters. {way_on}]"
    return (
        text[:HEAD_CHARACTERS] + note,
        NewArtifact(artifact_id, text),
        ArtifactRef(id=artifact_id, characters=len(text)),
    )
