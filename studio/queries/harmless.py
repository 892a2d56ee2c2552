"""What is shown of stored texts that are no events: without known secrets. None should be in them; a hit is a fault."""

import json
import logging
from typing import Any

from studio.wiring import running

log = logging.getLogger(__name__)


def harmless_text(text: str, where: str) -> str:
    """The text without secrets; `where` it stands is told in the log if one was in it."""
    cleaned = running().redactor.redact(text)
    if cleaned is not text:
        log.error("a secret stands in %s; it was not shown", where)
    return cleaned


def harmless_messages(messages: list[dict[str, Any]], where: str) -> list[dict[str, Any]]:
    """The messages of a prompt without secrets."""
    text = json.dumps(messages, ensure_ascii=False)
    cleaned = running().redactor.redact_json(text)
    if cleaned is text:
        return messages
    log.error("a secret stands in %s; it was not shown", where)
    found: list[dict[str, Any]] = json.loads(cleaned)
    return found
