"""Known secrets, taken out of texts before they become events."""

import json
from typing import Any

REDACTED = "[secret removed]"
SHORTEST = 8  # what is shorter would blot out ordinary words


class Redactor:
    """Learns the secrets of an installation as they are used; texts that hold one lose it."""

    def __init__(self) -> None:
        self._secrets: tuple[str, ...] = ()

    def learn(self, secret: str) -> None:
        """Remember a secret; longer ones are taken out first, so that none leaves a rest of another."""
        if len(secret) >= SHORTEST and secret not in self._secrets:
            known = {*self._secrets, *_forms(secret)}
            self._secrets = tuple(sorted(known, key=lambda form: (-len(form), form)))

    def redact(self, text: str) -> str:
        """The text without the secrets; the same object if there is none in it."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, REDACTED)
        return text

    def redact_json(self, text: str) -> str:
        """The JSON text, its strings without the secrets; the same object if there is none in them."""
        if self.redact(text) is text:
            return text
        value = json.loads(text)
        cleaned = self._cleaned(value)
        return text if cleaned == value else json.dumps(cleaned, ensure_ascii=False)

    def _cleaned(self, value: Any) -> Any:
        match value:
            case str():
                return self.redact(value)
            case list():
                return [self._cleaned(item) for item in value]
            case dict():
                return {self.redact(name): self._cleaned(item) for name, item in value.items()}
            case _:
                return value


def _forms(secret: str) -> set[str]:
    """The secret as it stands in a text, in JSON, and in JSON that is quoted in JSON."""
    forms = {secret}
    for _ in range(2):
        forms |= {json.dumps(form, ensure_ascii=is_ascii)[1:-1] for form in forms for is_ascii in (True, False)}
    return forms
