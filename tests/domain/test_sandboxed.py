"""Tools that run programs: only an agent that an administrator allows it may have them."""

import pytest

from runtime.domain.agent_file import AgentFile, read_agent_file
from runtime.domain.known import Known
from runtime.domain.tool import ToolSpec

TOOLS = {name: ToolSpec(name, "It does something.", {"type": "object"}) for name in ("shell", "python", "pay")}
HEAD = "name: coder\nmodel: openai/gpt-4.1-mini\n"
OWN = "May set timers, write to people in its session, and ask supervisors."


def read(text: str, *allowed: str) -> AgentFile:
    return read_agent_file(HEAD + text, Known(tools=TOOLS, sandboxed=allowed, complete=True))


@pytest.mark.parametrize(
    "tools",
    ["shell", "{python: {workspace: .}}", "{name: shell, approval: never}", "{name: pay, fallback: shell}",
     "{name: pay, rollback: python}"],
)  # fmt: skip
def test_without_leave_it_cannot_be_published_and_is_told_what_to_do(tools: str):
    text = f"tools:\n  - {tools}\n"

    refused = [problem for problem in read(text).errors if "runs programs" in problem.message]

    assert len(refused) == 1
    assert refused[0].line == 4
    assert "Ask an administrator to allow it under Settings, Sandbox, or remove the tool." in refused[0].message
    assert not [problem for problem in read(text, "coder").errors if "runs programs" in problem.message]
    assert [problem for problem in read(text, "another").errors if "runs programs" in problem.message]


@pytest.mark.parametrize(
    ("tools", "sentences"),
    [
        (
            "[shell]",
            ("May run commands in the sandbox, in a folder of the session's own.", "Asks a person before `shell`."),
        ),
        (
            "[{python: {workspace: shop}}]",
            ("May run Python programs in the sandbox, in its workspace (`shop`).", "Asks a person before `python`."),
        ),
        (
            "[{name: shell, approval: never}]",
            ("May run commands in the sandbox, in a folder of the session's own.", "Asks nobody before `shell`."),
        ),
    ],
)
def test_what_it_may_do_is_said_and_whether_a_person_is_asked(tools: str, sentences: tuple[str, str]):
    assert read(f"tools: {tools}\n", "coder").granted == (sentences[0], OWN, sentences[1])
