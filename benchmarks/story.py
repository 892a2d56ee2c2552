"""What every benchmark plays: the model asks for one tool, the tool runs, the model answers."""

from runtime.ports import ModelRequest
from runtime.providers.playbook import Line

SYSTEM = "You calculate for people who run a shop."
QUESTION = "What do six parcels at seven euros cost?"
TOOL = "calculate"
ARGUMENTS = {"expression": "6 * 7"}
RESULT = "42"
ANSWER = "They cost 42 euros."

PLAYBOOK = "echo"  # published agents may name only playbooks that ship with Studio: its script is replaced

AGENT = f"""\
name: bench
model: playbook/{PLAYBOOK}
system_prompt: {SYSTEM}
tools:
  - {TOOL}
"""


def script(request: ModelRequest) -> Line:
    """Chooses by the last message alone, so that a long history costs the model nothing."""
    if request.messages[-1]["role"] == "tool":
        return Line(text=ANSWER)
    return Line(calls=((TOOL, ARGUMENTS),))
