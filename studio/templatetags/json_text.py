"""JSON as people read it: indented, with keys, texts and numbers in their colours. Everything is escaped."""

import json
import re
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

MOST_COLOURED = 100_000  # characters; a longer text would cost more marks than a browser likes
_PART = re.compile(r'("(?:\\.|[^"\\])*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b')


@register.filter
def json_text(value: Any) -> SafeString:
    """The value as indented JSON with marks for colours."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    if len(text) > MOST_COLOURED:
        return escape(text)
    pieces: list[str] = []
    end = 0
    for found in _PART.finditer(text):
        pieces.append(escape(text[end : found.start()]))
        pieces.append(_marked(found))
        end = found.end()
    pieces.append(escape(text[end:]))
    return mark_safe("".join(pieces))  # every piece is escaped above


@register.filter
def json_is_text(value: Any) -> bool:
    """True for a text, which is shown as it is."""
    return isinstance(value, str)


def _marked(found: re.Match[str]) -> str:
    text, colon, number, word = found.groups()
    if text is not None and colon is not None:
        return f'<span class="c-code__key">{escape(text)}</span>{escape(colon)}'
    if text is not None:
        return f'<span class="c-code__text">{escape(text)}</span>'
    kind = "number" if number is not None else "mark"
    return f'<span class="c-code__{kind}">{escape(number or word)}</span>'
