"""Python programs, in the sandbox alone."""

from typing import Annotated

from pydantic import Field

from runtime.domain.tool import Access, Label
from runtime.domain.tool_policy import ALWAYS
from runtime.ports import ToolContext
from runtime.tools.declaration import tool
from runtime.tools.sandbox.answer import answer_of
from runtime.tools.sandbox.bubble import python_program
from runtime.tools.sandbox.settings import SandboxSettings
from runtime.tools.services import ToolServices

_PROGRAM = "/run/program.py"


@tool(
    access=Access.WRITE,
    labels=frozenset({Label.READS_PRIVATE, Label.READS_UNTRUSTED}),
    settings=SandboxSettings,
    approval=ALWAYS,
    title="Run a Python program",
    question="Run this program?",
)
async def python(
    context: ToolContext, services: ToolServices, code: Annotated[str, Field(min_length=1, max_length=200_000)]
) -> str:
    """Run a Python program in a sandbox without a network, and read what it prints.
    Files in the current folder stay for later calls; variables and processes do not.

    Args:
        code: The whole program. It gets no input, and has the standard library.
    """
    command = [python_program(), "-s", _PROGRAM]
    return answer_of(await services.sandbox.run(context, command, {_PROGRAM: code}))
