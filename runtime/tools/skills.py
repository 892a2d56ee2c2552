"""Reading a skill: its instructions, and the texts that it refers to. Nothing of it is ever run."""

from runtime.domain.skill import MAIN, unpacked
from runtime.ports import ToolContext, ToolFailed
from runtime.tools.declaration import tool

LOAD_SKILL = "load_skill"
MOST = 30_000


@tool(framework=True)
async def load_skill(context: ToolContext, name: str, file: str = MAIN) -> str:
    """Read a skill before you do what it is about; with file, one of the texts that it refers to.

    Args:
        name: The name of the skill, as the list of your skills has it.
        file: A text of the skill, such as references/limits.md.
    """
    known = context.spec.settings.get("skills") or {}
    sha256 = known.get(name)
    packed = await context.artifacts.pinned(sha256) if sha256 else None
    if packed is None:
        raise ToolFailed(f"there is no skill {name[:80]}. Yours: {', '.join(known) or 'none'}", retryable=False)
    files = unpacked(packed).files
    text = files.get(file)
    if text is None:
        raise ToolFailed(f"the skill {name} has no text {file[:80]}. It has: {', '.join(files)}", retryable=False)
    others = [other for other in files if other != file]
    if file != MAIN or not others:
        return text
    return f"{text}\n\n[Texts that belong to it, to be read with file: {', '.join(others)}]"
