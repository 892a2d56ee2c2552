"""Large and shared texts: artifacts and pins."""

from dataclasses import dataclass
from typing import ClassVar

from studio.store.batch import Batch, Needs


@dataclass(frozen=True, slots=True)
class KeepPin:
    """Keeps a text under its hash; a known one is left alone."""

    only_reads: ClassVar[bool] = False

    sha256: str
    text: str

    def needs(self, needs: Needs) -> None:
        """Nothing."""

    def apply(self, _batch: Batch) -> None:
        return None

    def finish(self, batch: Batch, _applied: None) -> None:
        rows = [(self.sha256, self.text)]
        batch.sql.insert("studio_pin", ("sha256", "text"), rows, after="ON CONFLICT (sha256) DO NOTHING")


@dataclass(frozen=True, slots=True)
class ReadPin:
    """The text of that hash, or None."""

    only_reads: ClassVar[bool] = True

    sha256: str

    def needs(self, needs: Needs) -> None:
        """Nothing."""

    def apply(self, _batch: Batch) -> None:
        return None

    def finish(self, batch: Batch, _applied: None) -> str | None:
        rows = batch.sql.rows(("text",), "FROM studio_pin WHERE sha256 = %s", [self.sha256])
        return rows[0][0] if rows else None


@dataclass(frozen=True, slots=True)
class ReadArtifact:
    """The text of an artifact of the rollout, or None."""

    only_reads: ClassVar[bool] = True

    rollout: str
    artifact_id: str

    def needs(self, needs: Needs) -> None:
        """Nothing."""

    def apply(self, _batch: Batch) -> None:
        return None

    def finish(self, batch: Batch, _applied: None) -> str | None:
        rest = (
            "FROM studio_artifact a JOIN studio_rollout r ON r.id = a.rollout_id WHERE r.public_id = %s AND a.id = %s"
        )
        rows = batch.sql.rows(("a.text",), rest, [self.rollout, self.artifact_id])
        return rows[0][0] if rows else None
