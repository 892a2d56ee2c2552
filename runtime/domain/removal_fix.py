"""The fix that takes a field out of an author's text."""

from runtime.domain.file_edit import EditRefused, edit
from runtime.domain.problem import Fix
from runtime.domain.yaml_node import Path

_TEXT_AT_MOST = 32 * 1024  # each fix reads the text again; in a larger one that would be felt while typing


def removal_fix(text: str, path: Path) -> Fix | None:
    """Remove the field at a path; None where that cannot be done in place."""
    if len(text) > _TEXT_AT_MOST:
        return None
    try:
        after = edit(text, path, None)
    except EditRefused:
        return None
    start = _same_length(text, after)
    same_end = _same_length(text[start:][::-1], after[start:][::-1])
    return Fix("Remove it", start, len(text) - same_end, after[start : len(after) - same_end])


def _same_length(one: str, other: str) -> int:
    """How many code points two texts have in common at their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))
