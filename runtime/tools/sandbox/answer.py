"""How a program ended, as the model reads it."""

from runtime.ports import ToolFailed
from runtime.tools.sandbox.sandbox import Ended


def answer_of(ended: Ended) -> str:
    """What it wrote, and its exit code unless that is 0. Raises ToolFailed for one that was stopped."""
    output = ended.output.strip("\n")
    if ended.stopped:
        until_then = f" It had written until then:\n{output}" if output else " It had written nothing until then."
        raise ToolFailed(f"{ended.stopped}, so it was stopped.{until_then}", retryable=False)
    if ended.exit_code:
        return f"{output}\n[exit code {ended.exit_code}]".lstrip("\n")
    return output or "[it wrote nothing]"
