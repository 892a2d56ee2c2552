"""The owner rule of every route that needs a login. A route without a line here, or a reason in `doors.py`, fails
the tests and is refused by the middleware."""

from enum import StrEnum


class Rule(StrEnum):
    """Who gets an answer; everybody else is told that the page does not exist, or that they may not."""

    OWN = "the person's own things only"
    VISIBLE = "what `visible_to` gives the person; another's is a 404"
    PROJECT = "people with the right in the thing's project; without sight of it a 404"
    ADMINISTRATOR = "administrators; a 403 for others"


ROUTES: dict[str, Rule] = {
    "admin-sign-in": Rule.OWN,
    "admin-password": Rule.OWN,
    "admin:*": Rule.ADMINISTRATOR,
    "agents": Rule.VISIBLE,
    "agent-new": Rule.PROJECT,
    "agent-import": Rule.PROJECT,
    "agent-export": Rule.VISIBLE,
    "agent-duplicate": Rule.PROJECT,
    "agent-archive": Rule.PROJECT,
    "agent-unarchive": Rule.PROJECT,
    "agent-delete": Rule.PROJECT,
    "approvals": Rule.VISIBLE,
    "approval": Rule.VISIBLE,
    "approval-decide": Rule.PROJECT,
    "rollouts": Rule.VISIBLE,
    "rollout": Rule.VISIBLE,
    "rollout-rows": Rule.VISIBLE,
    "rollout-growth": Rule.VISIBLE,
    "rollout-export": Rule.VISIBLE,
    "rollout-control": Rule.PROJECT,
    "welcome": Rule.VISIBLE,
    "agent-edit": Rule.PROJECT,
    "agent-check": Rule.PROJECT,
    "agent-draft": Rule.PROJECT,
    "agent-fields": Rule.PROJECT,
    "agent-try": Rule.VISIBLE,
    "agent-publish": Rule.PROJECT,
    "agent-history": Rule.PROJECT,
    "agent-restore": Rule.PROJECT,
    "playground": Rule.OWN,
    "session-list": Rule.OWN,
    "session-new": Rule.VISIBLE,
    "session": Rule.VISIBLE,
    "session-prompt": Rule.PROJECT,
    "session-state": Rule.VISIBLE,
    "session-say": Rule.PROJECT,
    "session-stop": Rule.PROJECT,
    "session-control": Rule.PROJECT,
    "session-decision": Rule.PROJECT,
    "session-answer": Rule.PROJECT,
    "live": Rule.PROJECT,
    "live-act": Rule.PROJECT,
    "escalation": Rule.PROJECT,
    "escalation-answer": Rule.PROJECT,
    "grant-revoke": Rule.VISIBLE,
    "session-rename": Rule.PROJECT,
    "session-archive": Rule.PROJECT,
    "session-unarchive": Rule.PROJECT,
    "session-delete": Rule.PROJECT,
    "session-pending-remove": Rule.PROJECT,
    "session-pending-interrupt": Rule.PROJECT,
    "sign-in-again": Rule.OWN,
    "sign-out": Rule.OWN,
    "settings": Rule.OWN,
    "settings-account": Rule.OWN,
    "settings-password": Rule.OWN,
    "settings-browser-sign-out": Rule.OWN,
    "settings-tokens": Rule.OWN,
    "settings-token-create": Rule.OWN,
    "settings-token-revoke": Rule.OWN,
    "settings-members": Rule.ADMINISTRATOR,
    "settings-member-add": Rule.ADMINISTRATOR,
    "settings-member-role": Rule.ADMINISTRATOR,
    "settings-member-disable": Rule.ADMINISTRATOR,
    "settings-member-enable": Rule.ADMINISTRATOR,
    "settings-member-link": Rule.ADMINISTRATOR,
    "settings-models": Rule.ADMINISTRATOR,
    "settings-model-add": Rule.ADMINISTRATOR,
    "settings-model": Rule.ADMINISTRATOR,
    "settings-model-change": Rule.ADMINISTRATOR,
    "settings-model-test": Rule.ADMINISTRATOR,
    "settings-model-remove": Rule.ADMINISTRATOR,
    "settings-audit": Rule.ADMINISTRATOR,
    "amp-stream": Rule.VISIBLE,
    "amp:openapi-json": Rule.OWN,
    "amp:api-root": Rule.OWN,
    "amp:sessions": Rule.VISIBLE,
    "amp:session": Rule.VISIBLE,
    "amp:session-control": Rule.PROJECT,
    "amp:participants": Rule.PROJECT,
    "amp:participant": Rule.PROJECT,
    "amp:events": Rule.VISIBLE,
    "amp:rollout": Rule.VISIBLE,
    "amp:rollout-events": Rule.VISIBLE,
    "amp:rollout-prompt": Rule.PROJECT,
    "amp:rollout-control": Rule.PROJECT,
    "amp:approvals": Rule.VISIBLE,
    "amp:approval": Rule.PROJECT,
    "amp:grants": Rule.VISIBLE,
    "amp:grant": Rule.PROJECT,
    "amp:workflows": Rule.VISIBLE,
    "amp:workflow": Rule.PROJECT,
    "amp:agents": Rule.VISIBLE,
    "amp:agents-check": Rule.PROJECT,
    "amp:agent": Rule.PROJECT,
    "amp:agent-publish": Rule.PROJECT,
}


def rule_of(route: str) -> Rule | None:
    """The rule of a route by its full name (`settings-tokens`, `admin:index`); a line may end in `:*`."""
    namespace = route.partition(":")[0]
    return ROUTES.get(route) or (ROUTES.get(f"{namespace}:*") if ":" in route else None)
