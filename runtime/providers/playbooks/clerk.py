"""A clerk over a folder of files: lists it, searches it, reads what fits, and answers with what stands there."""

import json
import re

from runtime.ports import ModelRequest
from runtime.providers.playbook import Line
from runtime.providers.playbooks.reading import Scene, scene

PAUSE = 0.03
_WORDS = re.compile(r"[^\W_]{4,}")
_COMMON = frozenset(
    [
        *("what", "when", "where", "which", "that", "this", "there", "their", "about", "have", "does", "from", "with"),
        *("your", "please", "could", "would", "tell", "show", "find", "much", "many", "long", "file", "files"),
        *("folder", "they", "them", "into", "owe"),
    ]
)
_PATH = re.compile(r"[\w./-]+\.(?:txt|md|csv|json|yaml)")


def clerk(request: ModelRequest) -> Line:
    """Search first, then read the best match, then answer from it."""
    now = scene(request)
    if now.was_stopped:
        return Line("I stopped. Nothing was changed in the folder.", pause=PAUSE)
    match len(now.results):
        case 0:
            return _first_look(now)
        case 1 if paths := _paths(now.results[0]):
            calls = tuple(("read_file", {"path": path}) for path in paths[:2])
            return Line(thought="Read what the search found.", calls=calls, pause=PAUSE)
        case 1:
            return Line(
                "I looked through the folder and found nothing about that. Ask me what is in it, or use other words.",
                pause=PAUSE,
            )
        case _:
            return Line(_answer(now), pause=PAUSE)


def _first_look(now: Scene) -> Line:
    words = [word for word in _WORDS.findall(now.said.lower()) if word not in _COMMON]
    if not words:
        return Line(thought="See what is there.", calls=(("list_directory", {"path": "."}),), pause=PAUSE)
    longest = max(words, key=len)
    return Line(thought=f"Search for “{longest}”.", calls=(("search_text", {"query": longest}),), pause=PAUSE)


def _paths(result: str) -> list[str]:
    return list(dict.fromkeys(_PATH.findall(result)))


def _answer(now: Scene) -> str:
    words = {word for word in _WORDS.findall(now.said.lower()) if word not in _COMMON}
    lines = [line.strip() for result in now.results[1:] for line in _text(result).splitlines() if line.strip()]
    fitting = [line for line in lines if words & set(_WORDS.findall(line.lower()))]
    quoted = "\n".join(f"- {line}" for line in (fitting or lines)[:6])
    return f"This is what stands there:\n\n{quoted}"


def _text(result: str) -> str:
    try:
        value = json.loads(result)
    except ValueError:
        return result
    return str(value.get("content", result)) if isinstance(value, dict) else result
