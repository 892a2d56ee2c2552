"""Payloads to stored text and back, through every version of their shapes."""

from pydantic import ValidationError

from runtime.domain.errors import UnknownEventType
from runtime.domain.events import TYPES, Payload


def dump(payload: Payload) -> str:
    """The payload as stored: compact JSON without its type and without defaults."""
    return payload.model_dump_json(exclude={"type"}, exclude_defaults=True)


def load(type_: str, version: int, text: str) -> Payload:
    """The payload of a stored event. Raises UnknownEventType."""
    cls = TYPES.get(type_)
    if cls is None or version != cls.version:
        raise UnknownEventType(type_, version)
    try:
        return cls.model_validate_json(text)
    except ValidationError as error:
        raise UnknownEventType(type_, version) from error
