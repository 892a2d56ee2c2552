"""Tables and constraints, no behaviour."""

from studio.models.accounts import ApiToken, Membership, Project, User
from studio.models.admin_rows import ArtifactRow, EventRow
from studio.models.agents import Agent, AgentVersion
from studio.models.audit import AuditEntry
from studio.models.grants import StandingGrant
from studio.models.memories import MemoryVersion
from studio.models.registry import Tool, ToolSource
from studio.models.rollouts import AcceptedKey, Artifact, Erasure, Event, PendingEvent, Rollout
from studio.models.sandbox import SandboxGrant
from studio.models.secrets import Secret
from studio.models.sessions import AmpSession, Participant, SessionShare, SessionState
from studio.models.signin import Browser, SignInDelay, SignInLink
from studio.models.skills import Skill
from studio.models.tools import ModelConnection, OutboundHost, Pin
from studio.models.triggers import Delivery, Trigger, TriggerKey, TriggerSession
from studio.models.workflows import Workflow

__all__ = [
    "AcceptedKey",
    "Agent",
    "AgentVersion",
    "AmpSession",
    "ApiToken",
    "Artifact",
    "ArtifactRow",
    "AuditEntry",
    "Browser",
    "Delivery",
    "Erasure",
    "Event",
    "EventRow",
    "Membership",
    "MemoryVersion",
    "ModelConnection",
    "OutboundHost",
    "Participant",
    "PendingEvent",
    "Pin",
    "Project",
    "Rollout",
    "SandboxGrant",
    "Secret",
    "SessionShare",
    "SessionState",
    "SignInDelay",
    "SignInLink",
    "Skill",
    "StandingGrant",
    "Tool",
    "ToolSource",
    "Trigger",
    "TriggerKey",
    "TriggerSession",
    "User",
    "Workflow",
]
