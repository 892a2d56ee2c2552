"""A scripted, OpenAI-compatible model server over real HTTP; by hand: `python -m tests.model_server --port 9100`."""

from tests.model_server.process import ModelServerProcess
from tests.model_server.reply import Reply, call, calls, cut, fails, say, silence
from tests.model_server.script import Rule, Script, when
from tests.model_server.server import ModelServer

__all__ = [
    "ModelServer",
    "ModelServerProcess",
    "Reply",
    "Rule",
    "Script",
    "call",
    "calls",
    "cut",
    "fails",
    "say",
    "silence",
    "when",
]
