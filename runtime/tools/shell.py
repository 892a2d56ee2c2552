"""Shell commands, in the sandbox alone."""

import os
from typing import Annotated

from pydantic import Field

from runtime.domain.tool import Access, Label
from runtime.domain.tool_policy import ALWAYS
from runtime.ports import ToolContext
from runtime.tools.declaration import tool
from runtime.tools.sandbox.answer import answer_of
from runtime.tools.sandbox.settings import SandboxSettings
from runtime.tools.services import ToolServices

_SHELL = next((path for path in ("/usr/bin/bash", "/bin/bash") if os.path.exists(path)), "/bin/sh")


@tool(
    access=Access.WRITE,
    labels=frozenset({Label.READS_PRIVATE, Label.READS_UNTRUSTED}),
    settings=SandboxSettings,
    approval=ALWAYS,
    title="Run a command",
    question="Run this command?",
)
async def shell(
    context: ToolContext, services: ToolServices, command: Annotated[str, Field(min_length=1, max_length=50_000)]
) -> str:
    """Run a shell command in a sandbox without a network, and read what it writes.
    Files in the current folder stay for later calls; processes do not.

    Args:
        command: The command, as for bash -c. It gets no input.
    """
    return answer_of(await services.sandbox.run(context, [_SHELL, "-c", command]))
