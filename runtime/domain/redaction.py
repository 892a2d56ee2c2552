"""Known secrets, taken out of texts before they become events."""

REDACTED = "[secret removed]"
SHORTEST = 8  # what is shorter would blot out ordinary words


class Redactor:
    """Learns the secrets of an installation as they are used; texts that hold one lose it."""

    def __init__(self) -> None:
        self._secrets: tuple[str, ...] = ()

    def learn(self, secret: str) -> None:
        """Remember a secret; longer ones are taken out first, so that none leaves a rest of another."""
        if len(secret) >= SHORTEST and secret not in self._secrets:
            self._secrets = tuple(sorted((*self._secrets, secret), key=len, reverse=True))

    def redact(self, text: str) -> str:
        """The text without the secrets; the same object if there is none in it."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, REDACTED)
        return text
