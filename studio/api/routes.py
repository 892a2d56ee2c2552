"""The API put together. Its URLs' names are those of `studio/route_rules.py`, in the namespace `amp`."""

from ninja import NinjaAPI

from studio.api import agents, approvals, events, participants, rollouts, sessions, sharing, workflows
from studio.api.errors import handle_errors
from studio.api.json_body import StrictParser

api = NinjaAPI(
    title="Agent Messaging Protocol, profile 1",
    version="1",
    urls_namespace="amp",
    docs_url=None,  # its page loads scripts from elsewhere, which our CSP refuses; openapi.json is here
    parser=StrictParser(),
)
handle_errors(api)
for part in (sessions, participants, sharing, events, rollouts, approvals, agents, workflows):
    api.add_router("", part.router)
