"""Who gets in where: a line for each route and method. A new route without a line fails `test_rights.py`."""

from dataclasses import dataclass, field
from typing import Any

PEOPLE = ("anonymous", "member", "other member", "author", "reviewer", "supervisor", "admin", "stranger")
"""The session is the member's, the agent the author's, in one project; the stranger belongs to another."""

IN, NO, NONE, DOOR = "in", "403", "404", "door"


def audience(**others: str) -> dict[str, str]:
    """Everybody signed in gets in, but for the named; underscores stand for blanks."""
    changed = {name.replace("_", " "): outcome for name, outcome in others.items()}
    return {"anonymous": DOOR} | dict.fromkeys(PEOPLE[1:], IN) | changed


SIGNED_IN = audience()
_OUTSIDE = {"other_member": NONE, "author": NONE, "stranger": NONE}
_NOBODY = {name.replace(" ", "_"): NONE for name in PEOPLE[1:]}
SEES = audience(**_OUTSIDE)
KEEPS = audience(**_OUTSIDE, reviewer=NO)
SHARES = audience(**_OUTSIDE, reviewer=NO, supervisor=NO, admin=NO)
OWNS = audience(**_OUTSIDE, reviewer=NONE, supervisor=NONE, admin=NONE)
TAKES_PART = audience(**_OUTSIDE, reviewer=NO, supervisor=NO, admin=NO)
SUPERVISES = audience(**_OUTSIDE, member=NO, reviewer=NO)
REMEMBERED = audience(**_OUTSIDE, reviewer=NONE)
OWN_MEMORY = audience(**_OUTSIDE, reviewer=NONE, supervisor=NO, admin=NO)
TALKS = audience(stranger=NONE)
WRITES = audience(member=NO, other_member=NO, reviewer=NO, stranger=NONE)
WRITES_ANY = audience(member=NO, other_member=NO, reviewer=NO, stranger=NO)
ADMINISTERS = audience(member=NO, other_member=NO, author=NO, reviewer=NO, supervisor=NO, stranger=NO)
OVERSEES = audience(member=NO, other_member=NO, author=NO, reviewer=NO, stranger=NO)
EVERYBODY = audience(anonymous=IN)


@dataclass(frozen=True, slots=True)
class Line:
    """One request. `{session}`, `{rollout}`, `{agent}`, `{approval}`, `{pending}`, `{trigger}` stand for the things."""

    route: str
    method: str
    path: str
    who: dict[str, str] = field(hash=False)
    body: Any = None

    def __str__(self) -> str:
        return f"{self.method} {self.route}" + (f" {self.body}" if self.body else "")


_MESSAGE = {"type": "user.input", "content": "x"}
AMP = [
    Line("amp:sessions", "GET", "/amp/v1/sessions", SIGNED_IN),
    Line("amp:sessions", "POST", "/amp/v1/sessions", audience(stranger="400"), {"agents": ["{agent}"]}),
    Line("amp:session", "GET", "/amp/v1/sessions/{session}", SEES),
    Line("amp:session", "PATCH", "/amp/v1/sessions/{session}", KEEPS, {"title": "x"}),
    Line("amp:session", "PATCH", "/amp/v1/sessions/{session}", KEEPS, {"archived": True}),
    Line("amp:session", "DELETE", "/amp/v1/sessions/{session}", KEEPS),
    Line("amp:session-control", "POST", "/amp/v1/sessions/{session}/control", SUPERVISES, {"action": "pause"}),
    Line("amp:session-control", "POST", "/amp/v1/sessions/{session}/control", KEEPS, {"action": "cancel"}),
    Line("amp:participants", "POST", "/amp/v1/sessions/{session}/participants", KEEPS, {"agent": "{agent}"}),
    Line("amp:participants", "POST", "/amp/v1/sessions/{session}/participants", KEEPS, {"user": "otto"}),
    Line("amp:participant", "DELETE", "/amp/v1/sessions/{session}/participants/{agent}", KEEPS),
    Line("amp:shares", "GET", "/amp/v1/sessions/{session}/shares", OWNS),
    Line("amp:shares", "POST", "/amp/v1/sessions/{session}/shares", SHARES, {"user": "{reader}"}),
    Line("amp:share", "DELETE", "/amp/v1/sessions/{session}/shares/{shown}", SHARES),
    Line("amp:events", "GET", "/amp/v1/sessions/{session}/events", SEES),
    Line("amp:events", "POST", "/amp/v1/sessions/{session}/events", TAKES_PART, _MESSAGE),
    Line("amp:events", "POST", "/amp/v1/sessions/{session}/events", KEEPS, {"type": "user.interrupt"}),
    Line(
        "amp:events",
        "POST",
        "/amp/v1/sessions/{session}/events",
        SUPERVISES,
        {"type": "supervisor.instruction", "content": "x"},
    ),
    Line("amp-stream", "HEAD", "/amp/v1/sessions/{session}/stream", SEES),
    Line("amp:rollout", "GET", "/amp/v1/rollouts/{rollout}", SEES),
    Line("amp:rollout-events", "GET", "/amp/v1/rollouts/{rollout}/events", SEES),
    Line("amp:rollout-prompt", "GET", "/amp/v1/rollouts/{rollout}/steps/0/prompt", SUPERVISES),
    Line("amp:rollout-control", "POST", "/amp/v1/rollouts/{rollout}/control", SUPERVISES, {"action": "pause"}),
    Line("amp:rollout-control", "POST", "/amp/v1/rollouts/{rollout}/control", KEEPS, {"action": "cancel"}),
    Line(
        "amp:rollout-control",
        "POST",
        "/amp/v1/rollouts/{rollout}/control",
        SUPERVISES,
        {"action": "raise_limit", "limit": "max_steps", "value": 50},
    ),
    Line(
        "amp:rollout-control",
        "POST",
        "/amp/v1/rollouts/{rollout}/control",
        SUPERVISES,
        {"action": "set_state", "state": "x"},
    ),
    Line("amp:approvals", "GET", "/amp/v1/approvals?state=all", SIGNED_IN),
    Line("amp:approval", "GET", "/amp/v1/approvals/{approval}", SEES),
    Line("amp:approval", "POST", "/amp/v1/approvals/{approval}", KEEPS, {"verdict": "skip"}),
    Line("amp:grants", "GET", "/amp/v1/grants", SIGNED_IN),
    Line("amp:grant", "DELETE", "/amp/v1/grants/{grant}", KEEPS),
    Line("amp:workflows", "GET", "/amp/v1/workflows", SIGNED_IN),
    Line("amp:workflow", "GET", "/amp/v1/workflows/{workflow}", WRITES),
    Line("amp:workflow", "DELETE", "/amp/v1/workflows/{workflow}", WRITES),
    Line(
        "amp:workflow",
        "PUT",
        "/amp/v1/workflows/support",
        WRITES_ANY,
        {"text": "workflow: support\nagents: [{agent}]\nentry: {agent}\n"},
    ),
    Line("amp:agents", "GET", "/amp/v1/agents", SIGNED_IN),
    Line("amp:agents-check", "POST", "/amp/v1/agents/check", WRITES_ANY, {"text": "name: x"}),
    Line("amp:agent", "GET", "/amp/v1/agents/{agent}", WRITES),
    Line(
        "amp:agent",
        "PUT",
        "/amp/v1/agents/{agent}",
        audience(member=NO, other_member=NO, reviewer=NO, stranger=NO),
        {"text": "name: {agent}\nmodel: playbook/echo\n"},
    ),
    Line(
        "amp:agent-publish",
        "POST",
        "/amp/v1/agents/{agent}/publish",
        audience(member=NO, other_member=NO, reviewer=NO, stranger=NONE, author="400", supervisor="400", admin="400"),
        {},
    ),
    Line("amp:openapi-json", "GET", "/amp/v1/openapi.json", SIGNED_IN),
]
PAGES = [
    Line("agents", "GET", "/", SIGNED_IN),
    Line("welcome", "GET", "/welcome", SIGNED_IN),
    Line("agent-new", "GET", "/agents/new", WRITES_ANY),
    Line("agent-import", "GET", "/agents/import", WRITES_ANY),
    Line("agent-export", "GET", "/agents/{agent}/export", WRITES),
    Line("agent-duplicate", "POST", "/agents/{agent}/duplicate", WRITES),
    Line("agent-archive", "POST", "/agents/{agent}/archive", WRITES),
    Line("agent-unarchive", "POST", "/agents/{agent}/unarchive", WRITES),
    Line("agent-delete", "POST", "/agents/{agent}/delete", WRITES),
    Line("agent-edit", "GET", "/agents/{agent}/edit", WRITES),
    Line("agent-check", "POST", "/agents/{agent}/check", WRITES),
    Line("agent-draft", "POST", "/agents/{agent}/draft", WRITES),
    Line("agent-fields", "POST", "/agents/{agent}/fields", WRITES),
    Line("agent-publish", "POST", "/agents/{agent}/publish", WRITES),
    Line("agent-try", "POST", "/agents/{agent}/try", TALKS),
    Line("agent-history", "GET", "/agents/{agent}/history", WRITES),
    Line("agent-triggers", "GET", "/agents/{agent}/triggers", WRITES),
    Line("agent-trigger-switch", "POST", "/agents/{agent}/triggers/{trigger}/switch", WRITES, {"on": "false"}),
    Line("agent-trigger-test", "POST", "/agents/{agent}/triggers/{trigger}/test", WRITES),
    Line("agent-restore", "POST", "/agents/{agent}/restore", WRITES, {"version": "1"}),
    Line("playground", "GET", "/chat", SIGNED_IN),
    Line("session-list", "GET", "/chat/list", SIGNED_IN),
    Line("session-new", "GET", "/chat/new?agent={agent}", SIGNED_IN),
    Line("session", "GET", "/chat/{session}", SEES),
    Line("session-prompt", "GET", "/chat/{session}/prompt", SEES),
    Line("session-state", "GET", "/chat/{session}/state", SEES),
    Line("session-say", "POST", "/chat/{session}/say", KEEPS, {"content": "x"}),
    Line("session-stop", "POST", "/chat/{session}/stop", KEEPS),
    Line("session-control", "POST", "/chat/{session}/control", SUPERVISES, {"action": "pause", "rollout": "{rollout}"}),
    Line("session-control", "POST", "/chat/{session}/control", KEEPS, {"action": "cancel", "rollout": "{rollout}"}),
    Line("session-rename", "POST", "/chat/{session}/rename", KEEPS, {"title": "x"}),
    Line("workflows", "GET", "/workflows", SIGNED_IN),
    Line("workflow-new", "GET", "/workflows/new", WRITES_ANY),
    Line("workflow-check", "POST", "/workflows/check", WRITES_ANY, {"text": "x"}),
    Line("workflow", "GET", "/workflows/{workflow}", WRITES),
    Line("workflow", "POST", "/workflows/{workflow}", WRITES, {"text": "x"}),
    Line("workflow-delete", "POST", "/workflows/{workflow}/delete", WRITES),
    Line("workflow-start", "GET", "/workflows/{workflow}/start", TALKS),
    Line("workflow-start", "POST", "/workflows/{workflow}/start", TALKS, {"content": "Hello"}),
    Line("session-people", "GET", "/chat/{session}/people", SEES),
    Line("session-people", "POST", "/chat/{session}/people", KEEPS, {"agent": "{agent}"}),
    Line("session-people", "POST", "/chat/{session}/people", SHARES, {"reader": "{reader}"}),
    Line("session-person-remove", "POST", "/chat/{session}/people/{agent}/remove", KEEPS),
    Line("session-share-remove", "POST", "/chat/{session}/shares/{shown}/remove", SHARES),
    Line("session-archive", "POST", "/chat/{session}/archive", KEEPS),
    Line("session-unarchive", "POST", "/chat/{session}/unarchive", KEEPS),
    Line("session-delete", "POST", "/chat/{session}/delete", KEEPS),
    Line("session-pending-remove", "POST", "/chat/{session}/pending/{pending}/remove", KEEPS),
    Line("session-pending-interrupt", "POST", "/chat/{session}/pending/{pending}/interrupt", KEEPS),
    Line("session-answer", "POST", "/chat/{session}/answers/{rollout}/9.9", audience(**_NOBODY)),
    Line("session-decision", "POST", "/chat/questions/{approval}", KEEPS, {"verdict": "skip"}),
    Line("approvals", "GET", "/approvals", SIGNED_IN),
    Line("approval", "GET", "/approvals/{approval}", SEES),
    Line("approval-decide", "POST", "/approvals/{approval}/decide", KEEPS, {"verdict": "skip"}),
    Line("grant-revoke", "POST", "/approvals/grants/g_1/revoke", audience(**_NOBODY)),
    Line("escalation", "GET", "/escalations/x_1_1", audience(**_NOBODY)),
    Line("escalation-answer", "POST", "/escalations/x_1_1/answer", audience(**_NOBODY), {"content": "x"}),
    Line("live", "GET", "/live", OVERSEES),
    Line("live-several", "POST", "/live/several", OVERSEES, {"action": "pause", "chosen": "{rollout}"}),
    Line("live-act", "POST", "/live/{rollout}", OVERSEES, {"action": "pause"}),
    Line("memory", "GET", "/memory", SIGNED_IN),
    Line("memory-person", "GET", "/memory/{member}", REMEMBERED),
    Line("memory-add", "POST", "/memory/add", SIGNED_IN),
    Line("memory-export", "POST", "/memory/export", SIGNED_IN),
    Line("memory-forget-all", "POST", "/memory/forget", SIGNED_IN),
    Line("memory-change", "POST", "/memory/values/{memory}/change", OWN_MEMORY, {"value": "x"}),
    Line("memory-undo", "POST", "/memory/values/{memory}/undo", OWN_MEMORY),
    Line("memory-confirm", "POST", "/memory/values/{memory}/confirm", OWN_MEMORY),
    Line("memory-forget", "POST", "/memory/values/{memory}/forget", OWN_MEMORY),
    Line("rollouts", "GET", "/rollouts", SIGNED_IN),
    Line("rollout", "GET", "/rollouts/{rollout}", SEES),
    Line("rollout-rows", "GET", "/rollouts/{rollout}/rows?window=0", SEES),
    Line("rollout-nested", "GET", "/rollouts/{rollout}/nested/99", audience(**_NOBODY)),
    Line("rollout-growth", "GET", "/rollouts/{rollout}/growth", SEES),
    Line("rollout-export", "POST", "/rollouts/{rollout}/export", SEES),
    Line("rollout-control", "POST", "/rollouts/{rollout}/control", SUPERVISES, {"action": "pause"}),
    Line("rollout-control", "POST", "/rollouts/{rollout}/control", KEEPS, {"action": "cancel"}),
    Line("tools", "GET", "/tools", WRITES_ANY),
    Line("tool-new", "GET", "/tools/new/http", WRITES_ANY),
    Line("tool-document-new", "GET", "/tools/new/document", WRITES_ANY),
    Line("tool-server-new", "GET", "/tools/new/server", WRITES_ANY),
    Line("tool-source", "GET", "/tools/sources/{source}", WRITES_ANY),
    Line("tool-source-look", "POST", "/tools/sources/{source}/look", WRITES_ANY),
    Line("tool-source-accept", "POST", "/tools/sources/{source}/accept", WRITES_ANY),
    Line("tool-source-remove", "POST", "/tools/sources/{source}/remove", WRITES_ANY),
    Line("tool", "GET", "/tools/{tool}", WRITES_ANY),
    Line("tool-change", "POST", "/tools/{tool}/change", WRITES_ANY),
    Line("tool-try", "POST", "/tools/{tool}/try", WRITES_ANY),
    Line("tool-remove", "POST", "/tools/{tool}/remove", WRITES_ANY),
    Line("settings", "GET", "/settings", SIGNED_IN),
    Line("settings-account", "GET", "/settings/account", SIGNED_IN),
    Line("settings-password", "POST", "/settings/account/password", SIGNED_IN),
    Line(
        "settings-browser-sign-out",
        "POST",
        "/settings/account/browsers/999/sign-out",
        audience(**_NOBODY),
    ),
    Line("settings-tokens", "GET", "/settings/tokens", SIGNED_IN),
    Line("settings-token-create", "POST", "/settings/tokens/new", SIGNED_IN),
    Line(
        "settings-token-revoke",
        "POST",
        "/settings/tokens/t_1/revoke",
        audience(**_NOBODY),
    ),
    Line("session-file", "GET", "/chat/{session}/files/{rollout}/file-x-0", audience(**_NOBODY)),
    Line("settings-skills", "GET", "/settings/skills", SIGNED_IN),
    Line(
        "settings-skill-upload",
        "POST",
        "/settings/skills/upload",
        audience(member=NO, other_member=NO, reviewer=NO, stranger=NO),
    ),
    Line("settings-skill-delete", "POST", "/settings/skills/sk_1/delete", audience(**_NOBODY)),
    Line("settings-members", "GET", "/settings/members", ADMINISTERS),
    Line("settings-member-add", "POST", "/settings/members/new", ADMINISTERS),
    Line("settings-member-role", "POST", "/settings/members/{spare}/role", ADMINISTERS),
    Line("settings-member-disable", "POST", "/settings/members/{spare}/disable", ADMINISTERS),
    Line("settings-member-enable", "POST", "/settings/members/{spare}/enable", ADMINISTERS),
    Line("settings-member-link", "POST", "/settings/members/{spare}/link", ADMINISTERS),
    Line("settings-models", "GET", "/settings/models", ADMINISTERS),
    Line("settings-model-add", "POST", "/settings/models/new", ADMINISTERS),
    Line("settings-model", "GET", "/settings/models/m_1", ADMINISTERS | {"admin": NONE}),
    Line("settings-model-change", "POST", "/settings/models/m_1/change", ADMINISTERS | {"admin": NONE}),
    Line("settings-model-test", "POST", "/settings/models/m_1/test", ADMINISTERS | {"admin": NONE}),
    Line("settings-model-remove", "POST", "/settings/models/m_1/remove", ADMINISTERS | {"admin": NONE}),
    Line("settings-secrets", "GET", "/settings/secrets", ADMINISTERS),
    Line("settings-secret-add", "POST", "/settings/secrets/new", ADMINISTERS),
    Line("settings-secret-change", "POST", "/settings/secrets/k_1/change", ADMINISTERS | {"admin": NONE}),
    Line("settings-secret-remove", "POST", "/settings/secrets/k_1/remove", ADMINISTERS | {"admin": NONE}),
    Line("settings-audit", "GET", "/settings/audit", ADMINISTERS),
    Line("nav-counts", "GET", "/counts", SIGNED_IN),
    Line("sign-in-again", "GET", "/sign-in/again", SIGNED_IN),
    Line("sign-out", "POST", "/sign-out", SIGNED_IN),
    Line("admin:index", "GET", "/admin/", ADMINISTERS),
    Line("hook", "POST", "/hooks/tg_1/orders", audience(anonymous=NONE, **_NOBODY)),
    Line("health", "GET", "/health", EVERYBODY),
    Line("sign-in", "GET", "/sign-in", EVERYBODY),
    Line("sign-in-link", "GET", "/sign-in/link/x", EVERYBODY),
]
LINES = AMP + PAGES
GROUPS = {
    "the API, reading": [line for line in AMP if line.method in ("GET", "HEAD")],
    "the API, writing": [line for line in AMP if line.method not in ("GET", "HEAD")],
    "agents' pages": [line for line in PAGES if line.path.startswith("/agents")],
    "the playground": [line for line in PAGES if line.path.startswith("/chat")],
    "rollouts and approvals": [line for line in PAGES if line.path.startswith(("/rollouts", "/approvals"))],
    "memory": [line for line in PAGES if line.path.startswith("/memory")],
    "settings": [line for line in PAGES if line.path.startswith("/settings")],
}
GROUPS["tools"] = [line for line in PAGES if line.path.startswith("/tools")]
GROUPS["the rest"] = [line for line in PAGES if not any(line in lines for lines in GROUPS.values())]
SOCKETS = {"session": "/ws/sessions/{session}", "session-page": "/ws/pages/sessions/{session}"}
ELSEWHERE = {
    "amp:api-root": "a page of ninja's that needs its documents",
    "admin-sign-in": "leads to the sign-in page",
    "admin-password": "leads to the settings",
}
"""Routes that other tests ask, or that only lead on."""
