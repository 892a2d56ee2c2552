"""The engine's harness for the lines about the runtime, a studio with people for the lines about its doors."""

from tests.api.conftest import agent, people, session
from tests.engine.conftest import model, rollout, start, start_many

__all__ = ["agent", "model", "people", "rollout", "session", "start", "start_many"]
