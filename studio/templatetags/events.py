"""Envelopes of events in templates."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

LINE_LENGTH = 160


def one_line(text: str, length: int) -> str:
    """The text on one line of at most `length` characters; what was cut off shows as an ellipsis at the end."""
    beginning = text[: 2 * length]
    line = " ".join(beginning.split())
    if len(line) <= length and len(text) == len(beginning):
        return line
    return line[: length - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


@register.filter
def first_line(text: object) -> str:
    """The start of a text, on one line; nothing for nothing."""
    return one_line("" if text is None else str(text), LINE_LENGTH)


@register.filter
def grouped(number: int | None) -> str:
    """`1,904`; a question mark for what is not known."""
    return "?" if number is None else f"{number:,}"


@register.filter
def spoken(name: str) -> str:
    """`timed_out` as `timed out`."""
    return name.replace("_", " ")


@register.filter
def values(arguments: Mapping[str, Any] | None) -> str:
    """The values of a call's arguments on one line."""
    return first_line(", ".join(str(value) for value in arguments.values())) if arguments else ""


@register.simple_tag
def clock(at: str) -> SafeString:
    """An instant as a time of day: UTC as it comes, in the reader's own zone once their browser has it."""
    return format_html('<clock-time datetime="{}">{}</clock-time>', at, at[11:19])


@register.simple_tag
def row_attributes(event: Mapping[str, Any], item: str | None) -> SafeString:
    """What every event row carries; `item` is the element of the conversation that the event belongs to."""
    return format_html(
        'id="row-{rollout}-{seq}" href="#{item}" data-category="{category}" data-type="{type}" data-seq="{seq}"',
        rollout=event["rollout"],
        seq=event["seq"],
        item=item or "conversation",
        category=event["category"],
        type=event["type"],
    )
