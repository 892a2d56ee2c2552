"""A process that has imported what the studio imports, and is forked to be its processes.

A studio that starts from nothing spends seconds on imports, and the tests start two hundred of them. A child is a
process like any other: it has its own environment, settings, reactor, database and end; `kill -9` ends it alone.
Speaks in lines of JSON: `{"run": [...], "env": {}, "stdout": PATH, "stderr": PATH}` is answered with the child's pid,
`{"reap": PID}` with its exit code once it has ended.
"""

import json
import os
import runpy
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IMPORTS = (
    "autobahn.twisted.websocket",
    "channels.generic.websocket",
    "cryptography.fernet",
    "daphne.ws_protocol",
    "defusedxml.ElementTree",
    "django.contrib.auth.hashers",
    "django.core.management.commands.migrate",
    "django.db.backends.sqlite3.base",
    "django.template.backends.django",
    "django.test",
    "django.views.generic",
    "httpx",
    "jinja2",
    "jsonschema",
    "markdown_it",
    "pydantic.networks",
    "runtime.domain.agent_file",
    "runtime.domain.workflow_file",
    "runtime.engine.manager",
    "runtime.providers.native",
    "runtime.providers.connected",
    "runtime.providers.playbooks",
    "runtime.providers.table",
    "runtime.tools.http_form",
    "runtime.tools.mcp",
    "runtime.tools.openapi",
    "runtime.tools.registry",
    "runtime.tools.workspace",
    "twisted.internet.asyncioreactor",
    "twisted.internet.tcp",
    "twisted.web.http",
    "whitenoise.base",
)
SETTLED_BY_A_CHILD = ("studio.settings", "twisted.internet.reactor")


def main() -> None:
    for name in IMPORTS:
        import_module(name)
    assert not [name for name in SETTLED_BY_A_CHILD if name in sys.modules]
    become(next_child())


def next_child() -> dict[str, Any]:
    """Answers until the end of its input; returns in a child alone, with what that has to be."""
    children: set[int] = set()
    for line in sys.stdin:
        asked = json.loads(line)
        if "reap" in asked:
            answer = os.waitstatus_to_exitcode(os.waitpid(asked["reap"], 0)[1])
            children.discard(asked["reap"])
        else:
            assert threading.active_count() == 1, "a fork copies only one thread"
            answer = os.fork()
            if answer == 0:
                return dict(asked)
            children.add(answer)
        print(answer, flush=True)
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    sys.exit()


def become(asked: dict[str, Any]) -> None:
    """Be `manage.py …` or `-m MODULE …`."""
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(ROOT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, path in ((1, asked["stdout"]), (2, asked["stderr"])):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), number)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    first, *rest = asked["run"]
    if first == "-m":
        module, *rest = rest
        sys.argv = [module, *rest]
        runpy.run_module(module, run_name="__main__")
    else:
        sys.argv = [first, *rest]
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    main()
