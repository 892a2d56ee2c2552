"""Searching the workspace: for files by name, for text in files."""

import itertools
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Annotated

from pydantic import Field

from runtime.domain.tool import Label
from runtime.ports import ToolContext, ToolFailed
from runtime.tools.declaration import tool
from runtime.tools.workspace.blocking import Halt, read_in_thread
from runtime.tools.workspace.folder import Place, WorkspaceSettings, opened_workspace
from runtime.tools.workspace.path_pattern import PathPattern
from runtime.tools.workspace.regex_process import RegexProcess
from runtime.tools.workspace.text_file import opened_text, size_in_words
from runtime.tools.workspace.walking import files_below

_MOST_CHARACTERS = 32_000
_LARGEST_SEARCHED = 4 << 20
_SHOWN_OF_LINE = 300

_PRIVATE = frozenset({Label.READS_PRIVATE})
_CONTENT = _PRIVATE | {Label.READS_UNTRUSTED}  # nobody vouches for what stands in a file

type Finder = Callable[[str], list[int]]


@tool(group="search", labels=_PRIVATE, settings=WorkspaceSettings)
async def find_files(
    context: ToolContext,
    pattern: Annotated[str, Field(min_length=1, max_length=500)],
    path: str = ".",
    limit: Annotated[int, Field(ge=1, le=1000)] = 200,
) -> str:
    """Find files of the workspace by name; links and folders such as .git or node_modules are left out.

    Args:
        pattern: A name with `*` and `?`, such as *.md, or a path with `**` for any folders, such as notes/**/*.md.
        path: The folder to look in; the workspace if left out.
        limit: How many files to name at most.
    """

    def work(halt: Halt) -> str:
        with opened_workspace(context.spec.settings) as workspace, workspace.place(path) as place:
            wanted = PathPattern(pattern)
            found = (_with_size(file) for file, inside in files_below(place, halt) if wanted.fits(inside))
            return _listed(found, limit, nothing=f"[no file in {place.shown} fits {pattern}]")

    return await read_in_thread(work)


@tool(group="search", labels=_CONTENT, settings=WorkspaceSettings)
async def search_text(
    context: ToolContext,
    query: Annotated[str, Field(min_length=1, max_length=1000)],
    path: str = ".",
    files: Annotated[str, Field(min_length=1, max_length=500)] = "*",
    regex: bool = False,
    ignore_case: bool = True,
    limit: Annotated[int, Field(ge=1, le=1000)] = 100,
) -> str:
    """Search the text files of the workspace line by line; each hit is given as path:line: text.

    Args:
        query: The text to look for, within one line.
        path: The folder to look in, or one file; the workspace if left out.
        files: Only files whose name fits this pattern, such as *.md.
        regex: Whether the query is a regular expression.
        ignore_case: Whether capital and small letters are the same.
        limit: How many lines to show at most.
    """

    def work(halt: Halt) -> str:
        with ExitStack() as stack:
            workspace = stack.enter_context(opened_workspace(context.spec.settings))
            place = stack.enter_context(workspace.place(path))
            if regex:
                process = stack.enter_context(RegexProcess(query, ignore_case=ignore_case, halt=halt))
                finder: Finder = process.matching_lines
            else:
                finder = _plain_finder(query, ignore_case=ignore_case)
            hits = _hits(_searched(place, files, halt), finder, halt)
            return _listed(hits, limit, nothing=f"[{query!r} is not found in {place.shown}]")

    return await read_in_thread(work)


def _with_size(file: Place) -> str:
    found = file.stat()
    return f"{file.shown}  {size_in_words(found.st_size)}" if found else file.shown


def _searched(place: Place, pattern: str, halt: Halt) -> Iterator[Place]:
    """The files to search; a path that names a file is searched whatever the pattern."""
    if place.stat() is None:
        raise place.missing("file or folder")
    if place.is_folder():
        wanted = PathPattern(pattern)
        yield from (file for file, inside in files_below(place, halt) if wanted.fits(inside))
    else:
        yield place


def _hits(files: Iterator[Place], finder: Finder, halt: Halt) -> Iterator[str]:
    for file in files:
        halt.check()
        text = _text_of(file)
        lines = text.split("\n") if text else []
        for number in finder(text) if text else ():
            line = lines[number - 1].strip()
            cut = line if len(line) <= _SHOWN_OF_LINE else line[:_SHOWN_OF_LINE] + "…"
            yield f"{file.shown}:{number}: {cut}"


def _text_of(file: Place) -> str:
    """The text of a file; nothing for what is not text, is too large or went away meanwhile."""
    try:
        with opened_text(file) as text:
            return text.read(_LARGEST_SEARCHED)
    except ToolFailed:
        return ""


def _plain_finder(query: str, *, ignore_case: bool) -> Finder:
    def folded(text: str) -> str:
        # Korean and accents from a Mac are decomposed; the same letters typed here are not.
        composed = unicodedata.normalize("NFC", text)
        return composed.casefold() if ignore_case else composed

    wanted = folded(query)

    def find(text: str) -> list[int]:
        return [number for number, line in enumerate(folded(text).split("\n"), 1) if wanted in line]

    return find


def _listed(lines: Iterator[str], limit: int, *, nothing: str) -> str:
    shown: list[str] = []
    characters = 0
    for line in itertools.islice(lines, limit + 1):
        characters += len(line) + 1
        if len(shown) == limit or characters > _MOST_CHARACTERS:
            shown.append("[there is more; narrow the search]")
            break
        shown.append(line)
    return "\n".join(shown) or nothing
