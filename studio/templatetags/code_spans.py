"""Sentences about a file, with the words between backticks set as code."""

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

_SPAN = re.compile(r"`([^`\n]+)`")


@register.filter
def code_spans(sentence: str) -> SafeString:
    """The sentence as HTML, its `words` in code elements."""
    return mark_safe(_SPAN.sub(r"<code>\1</code>", escape(sentence)))  # escaped
