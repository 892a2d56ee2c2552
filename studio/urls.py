"""Every route. Each name has its owner rule in `studio/route_rules.py` or its reason in `studio/doors.py`."""

from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

from studio.api.routes import api
from studio.live import sse
from studio.web import (
    account,
    agent_making,
    agents,
    audit,
    editor,
    editor_fields,
    health,
    history,
    members,
    models,
    signin,
    tokens,
    welcome,
)

urlpatterns = [
    path("", agents.agents, name="agents"),
    path("agents/new", agent_making.agent_new, name="agent-new"),
    path("agents/import", agent_making.agent_import, name="agent-import"),
    path("agents/<slug:name>/export", agents.agent_export, name="agent-export"),
    path("agents/<slug:name>/duplicate", agents.agent_duplicate, name="agent-duplicate"),
    path("agents/<slug:name>/archive", agents.agent_archive, name="agent-archive"),
    path("agents/<slug:name>/unarchive", agents.agent_unarchive, name="agent-unarchive"),
    path("agents/<slug:name>/delete", agents.agent_delete, name="agent-delete"),
    path("agents/<slug:name>/edit", editor.agent_edit, name="agent-edit"),
    path("agents/<slug:name>/check", editor.agent_check, name="agent-check"),
    path("agents/<slug:name>/draft", editor.agent_draft, name="agent-draft"),
    path("agents/<slug:name>/fields", editor_fields.agent_fields, name="agent-fields"),
    path("agents/<slug:name>/publish", editor.agent_publish, name="agent-publish"),
    path("agents/<slug:name>/history", history.agent_history, name="agent-history"),
    path("agents/<slug:name>/restore", history.agent_restore, name="agent-restore"),
    path("welcome", welcome.welcome, name="welcome"),
    path("health", health.health, name="health"),
    path("sign-in", signin.sign_in, name="sign-in"),
    path("sign-in/again", signin.sign_in_again, name="sign-in-again"),
    path("sign-in/link/<str:secret>", signin.sign_in_link, name="sign-in-link"),
    path("sign-out", signin.sign_out, name="sign-out"),
    path("settings", account.settings, name="settings"),
    path("settings/account", account.account, name="settings-account"),
    path("settings/account/password", account.password, name="settings-password"),
    path("settings/account/browsers/<int:pk>/sign-out", account.browser_sign_out, name="settings-browser-sign-out"),
    path("settings/tokens", tokens.tokens, name="settings-tokens"),
    path("settings/tokens/new", tokens.token_create, name="settings-token-create"),
    path("settings/tokens/<str:public_id>/revoke", tokens.token_revoke, name="settings-token-revoke"),
    path("settings/members", members.members, name="settings-members"),
    path("settings/members/new", members.member_add, name="settings-member-add"),
    path("settings/members/<str:public_id>/role", members.member_role, name="settings-member-role"),
    path("settings/members/<str:public_id>/disable", members.member_disable, name="settings-member-disable"),
    path("settings/members/<str:public_id>/enable", members.member_enable, name="settings-member-enable"),
    path("settings/members/<str:public_id>/link", members.member_link, name="settings-member-link"),
    path("settings/models", models.models, name="settings-models"),
    path("settings/models/new", models.model_add, name="settings-model-add"),
    path("settings/models/<str:public_id>", models.model, name="settings-model"),
    path("settings/models/<str:public_id>/change", models.model_change, name="settings-model-change"),
    path("settings/models/<str:public_id>/test", models.model_test, name="settings-model-test"),
    path("settings/models/<str:public_id>/remove", models.model_remove, name="settings-model-remove"),
    path("settings/audit", audit.audit, name="settings-audit"),
    path("amp/v1/sessions/<str:session>/stream", sse.stream, name="amp-stream"),
    path("amp/v1/", api.urls),
    path("admin/login/", RedirectView.as_view(pattern_name="sign-in", query_string=True), name="admin-sign-in"),
    path("admin/password_change/", RedirectView.as_view(pattern_name="settings-account"), name="admin-password"),
    path("admin/", admin.site.urls),
]

handler403 = "studio.web.errors.not_allowed"
handler404 = "studio.web.errors.not_found"
handler500 = "studio.web.errors.broken"
