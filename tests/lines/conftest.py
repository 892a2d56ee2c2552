"""The harness of the engine's tests, for the lines of `runtime.md` that are about the runtime."""

from tests.engine.conftest import model, rollout, start, start_many

__all__ = ["model", "rollout", "start", "start_many"]
