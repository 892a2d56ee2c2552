"""Reading in the workspace: one file, one folder."""

import itertools
import os
from typing import Annotated

from pydantic import Field

from runtime.domain.tool import Label
from runtime.ports import ToolContext
from runtime.tools.declaration import tool
from runtime.tools.workspace.blocking import Halt, read_in_thread
from runtime.tools.workspace.errors import in_words
from runtime.tools.workspace.folder import Place, WorkspaceSettings, opened_workspace
from runtime.tools.workspace.replacing import is_temporary
from runtime.tools.workspace.text_file import opened_text, size_in_words

_MOST_CHARACTERS = 1 << 20
_LONGEST_PIECE = 1 << 16  # of a line without end, between two looks at whether to stop
_MOST_ENTRIES = 1000
_MOST_COUNTED = 100_000

_PRIVATE = frozenset({Label.READS_PRIVATE})
_CONTENT = _PRIVATE | {Label.READS_UNTRUSTED}  # nobody vouches for what stands in a file


@tool(group="files", labels=_CONTENT, settings=WorkspaceSettings, title="Read a file", question="Read {path}?")
async def read_file(
    context: ToolContext,
    path: str,
    offset: Annotated[int, Field(ge=1)] = 1,
    limit: Annotated[int, Field(ge=1, le=20_000)] = 2000,
) -> str:
    """Read a text file of the workspace, or some of its lines.

    Args:
        path: Path from the workspace on, such as notes/plan.md.
        offset: The first line to read, counted from 1.
        limit: How many lines to read at most.
    """

    def work(halt: Halt) -> str:
        with opened_workspace(context.spec.settings) as workspace, workspace.place(path) as place:
            return _lines_of(place, offset, limit, most_characters=_cap(context), halt=halt)

    return await read_in_thread(work)


@tool(group="files", labels=_PRIVATE, settings=WorkspaceSettings)
async def list_directory(context: ToolContext, path: str = ".") -> str:
    """List the files and folders in one folder of the workspace, with sizes.

    Args:
        path: Path of the folder; the workspace itself if left out.
    """

    def work(halt: Halt) -> str:
        with opened_workspace(context.spec.settings) as workspace, workspace.place(path) as place:
            return _listing_of(place, most_characters=min(_cap(context), 32_000), halt=halt)

    return await read_in_thread(work)


def _cap(context: ToolContext) -> int:
    return min(WorkspaceSettings.model_validate(_own(context)).max_output_chars, _MOST_CHARACTERS)


def _own(context: ToolContext) -> dict[str, object]:
    known = WorkspaceSettings.model_fields
    return {name: value for name, value in context.spec.settings.items() if name in known}


def _lines_of(place: Place, offset: int, limit: int, *, most_characters: int, halt: Halt) -> str:
    """The wanted lines, and in brackets below them what was left out."""
    taken: list[str] = []
    characters, number, cut = 0, 1, False
    with opened_text(place) as text:
        while piece := text.readline(_LONGEST_PIECE):
            halt.check()
            if number >= offset + limit or characters >= most_characters:
                cut = True
                break
            if number >= offset:
                taken.append(piece[: most_characters - characters])
                characters += len(piece)
            number += piece.endswith(("\n", "\r"))
    if not taken:
        return f"[{place.shown} is empty]" if number == 1 else f"[{place.shown} has only {number - 1} lines]"
    content = "".join(taken).replace("\r\n", "\n")
    if characters > most_characters or (cut and number < offset + limit):
        return f"{content}\n[cut after {most_characters} characters, in line {number} of {place.shown}]"
    if cut:
        return f"{content}[there is more in {place.shown}: read on with offset {number}]"
    return content


def _listing_of(place: Place, *, most_characters: int, halt: Halt) -> str:
    with place.opened_folder() as folder, in_words(place.shown), os.scandir(folder) as scanned:
        entries = []
        for entry in itertools.islice(scanned, _MOST_COUNTED):
            halt.check()
            if not is_temporary(entry.name):
                entries.append((not entry.is_dir(follow_symlinks=False), entry.name))
        lines = [_line(name, folder) for _, name in sorted(entries)[:_MOST_ENTRIES]]
    if not lines:
        return f"[the folder {place.shown} is empty]"
    shown = _fitting(lines, most_characters)
    if len(shown) < len(entries):
        shown.append(f"[and {len(entries) - len(shown)} more; find_files finds them by a pattern]")
    return "\n".join(shown)


def _line(name: str, folder: int) -> str:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return f"{name}  (gone meanwhile)"
    kind = found.st_mode & 0o170000
    if kind == 0o040000:
        return f"{name}/"
    if kind == 0o120000:
        return f"{name}  (link)"
    return f"{name}  {size_in_words(found.st_size)}" if kind == 0o100000 else f"{name}  (not a file)"


def _fitting(lines: list[str], most_characters: int) -> list[str]:
    total = itertools.accumulate(len(line) + 1 for line in lines)
    return [line for line, length in zip(lines, total, strict=True) if length <= most_characters]
