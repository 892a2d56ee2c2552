"""What the engine needs from the world: Protocols, and the data that crosses them."""

from runtime.domain.artifact import NewArtifact
from runtime.domain.pending import Pending
from runtime.ports.clock import Clock
from runtime.ports.hub import Hub
from runtime.ports.memory import MemoryStore
from runtime.ports.model import CallDelta, Chunk, Finished, Model, ModelError, ModelRequest, OutputDelta, ThoughtDelta
from runtime.ports.refusals import KeyReused, NoSuchRollout, QueueFull, RolloutEnded
from runtime.ports.rollout import Projection, RolloutInfo
from runtime.ports.sandbox import SandboxGrants
from runtime.ports.secrets import Secrets
from runtime.ports.source import Happening, Look, Source
from runtime.ports.store import Accepted, Append, Appended, Arrival, Claimed, Lost, NewRollout, OverBudget, Queue, Store
from runtime.ports.tool import Artifacts, NothingDone, Stopped, Tool, ToolContext, ToolFailed

__all__ = [
    "Accepted",
    "Append",
    "Appended",
    "Arrival",
    "Artifacts",
    "CallDelta",
    "Chunk",
    "Claimed",
    "Clock",
    "Finished",
    "Happening",
    "Hub",
    "KeyReused",
    "Look",
    "Lost",
    "MemoryStore",
    "Model",
    "ModelError",
    "ModelRequest",
    "NewArtifact",
    "NewRollout",
    "NoSuchRollout",
    "NothingDone",
    "OutputDelta",
    "OverBudget",
    "Pending",
    "Projection",
    "Queue",
    "QueueFull",
    "RolloutEnded",
    "RolloutInfo",
    "SandboxGrants",
    "Secrets",
    "Source",
    "Stopped",
    "Store",
    "ThoughtDelta",
    "Tool",
    "ToolContext",
    "ToolFailed",
]
