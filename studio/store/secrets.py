"""The runtime's Secrets port over the table of secrets."""

from contextlib import suppress

from asgiref.sync import sync_to_async
from cryptography.fernet import InvalidToken

from runtime.domain.redaction import Redactor
from runtime.ports import ToolFailed
from studio.models import Secret
from studio.store.connections import keyring

HTTPS_PORT = 443


class StoredSecrets:
    """Gives a value to the host that it is bound to; what was given is taken out of all that is recorded from then."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    async def value(self, name: str, project: str, authority: str) -> str:
        """As the port says."""
        row = await sync_to_async(_row)(name, project)
        if row is None:
            raise ToolFailed(
                f"there is no secret named {name}; an administrator can store it under Settings, Secrets",
                retryable=False,
            )
        if not is_bound_to(row.hosts, authority):
            raise ToolFailed(
                f"the secret {name} may not be sent to {authority}; an administrator can bind it to that host under "
                "Settings, Secrets",
                retryable=False,
            )
        value = value_of(row)
        self._redactor.learn(value)
        return value


def is_bound_to(hosts: list[str], authority: str) -> bool:
    """Whether one of the entries is this `host:port`; an entry without a port means https."""
    return any((entry if _has_port(entry) else f"{entry}:{HTTPS_PORT}") == authority for entry in hosts)


def value_of(secret: Secret) -> str:
    """The value. Raises ToolFailed if the key that it was encrypted with is gone."""
    try:
        return keyring().decrypt(bytes(secret.encrypted_value)).decode()
    except InvalidToken:
        raise ToolFailed(
            f"the secret {secret.name} cannot be read any more; an administrator has to enter it again under "
            "Settings, Secrets",
            retryable=False,
        ) from None


def learn_secrets(redactor: Redactor) -> None:
    """Let every stored secret that can be read be taken out of what is recorded from now on."""
    for row in Secret.objects.all():
        with suppress(ToolFailed):
            redactor.learn(value_of(row))


def _has_port(entry: str) -> bool:
    return entry.rpartition("]")[2].count(":") == 1


def _row(name: str, project: str) -> Secret | None:
    return Secret.objects.filter(project__public_id=project, name=name).first()
