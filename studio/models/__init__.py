"""Tables and constraints, no behaviour."""

from studio.models.accounts import ApiToken, Membership, Project, User
from studio.models.audit import AuditEntry
from studio.models.signin import Browser, SignInDelay, SignInLink

__all__ = [
    "ApiToken",
    "AuditEntry",
    "Browser",
    "Membership",
    "Project",
    "SignInDelay",
    "SignInLink",
    "User",
]
