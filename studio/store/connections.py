"""The providers' Connections port over the table of model connections."""

from contextlib import suppress

from asgiref.sync import sync_to_async
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from runtime.domain.redaction import Redactor
from runtime.ports import ModelError
from runtime.providers.connections import Client, Connection, Prices
from studio.models import ModelConnection

OPENAI = "openai"


class StoredConnections:
    """Finds a model connection by its name, by its LiteLLM model, or by the provider that stands before the slash."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    async def resolve(self, model: str, project: str) -> Connection:
        """Raises ModelError that says what an administrator must do."""
        connection = await sync_to_async(_resolve)(model)
        self._redactor.learn(connection.api_key)
        return connection


def learn_keys(redactor: Redactor) -> None:
    """Let every stored key that can be read be taken out of what is recorded from now on."""
    for row in ModelConnection.objects.exclude(encrypted_key=b""):
        with suppress(ModelError):
            redactor.learn(_key(row))


def keyring() -> MultiFernet:
    """Encrypts with the newest key, decrypts with any."""
    return MultiFernet([Fernet(key) for key in settings.ENCRYPTION_KEYS])


def _resolve(model: str) -> Connection:
    row = _by_name_or_model(model)
    if row is not None:
        return _connection(row, row.litellm_model)
    provider, slash, _ = model.partition("/")
    if not slash:
        raise ModelError(
            f"There is no model connection named {model}. An administrator can add it under Settings, Models.",
            kind="not_found",
            retryable=False,
        )
    row = _by_provider(provider)
    if row is None:
        raise ModelError(
            f"There is no key for {model}. An administrator can add a connection for it under Settings, Models.",
            kind="authentication",
            retryable=False,
        )
    return _connection(row, model)


def connection_row(model: str) -> ModelConnection | None:
    """The connection that a model string of an agent file leads to; None if there is none."""
    return _by_name_or_model(model) or (_by_provider(model.partition("/")[0]) if "/" in model else None)


def connection_of(model: str) -> tuple[Connection, int] | None:
    """The connection of a model, without its key, and the window that was entered for it (0 = none)."""
    row = connection_row(model)
    if row is None:
        return None
    is_its_own = model in (row.name, row.litellm_model)
    spoken_to = row.litellm_model if is_its_own else model
    return Connection(spoken_to, api_base=row.address), (row.context_window or 0) if is_its_own else 0


def _by_name_or_model(model: str) -> ModelConnection | None:
    rows = ModelConnection.objects.order_by("pk")
    return rows.filter(name=model).first() or rows.filter(litellm_model=model).first()


def _by_provider(provider: str) -> ModelConnection | None:
    """A connection whose key is good for any model of the provider.

    Behind an OpenAI-compatible address stands one's own server, which would answer in the place of the model meant.
    """
    rows = ModelConnection.objects.filter(litellm_model__startswith=f"{provider}/").order_by("pk")
    return (rows.filter(address="") if provider == OPENAI else rows).first()


def _connection(row: ModelConnection, litellm_model: str) -> Connection:
    prices = None
    is_its_own = litellm_model == row.litellm_model
    if is_its_own and row.input_price_usd is not None and row.output_price_usd is not None:
        prices = Prices(row.input_price_usd, row.output_price_usd)
    name = row.name if is_its_own else litellm_model
    return Connection(litellm_model, name, row.address, _key(row), prices, Client(row.client))


def _key(row: ModelConnection) -> str:
    if not row.encrypted_key:
        return ""
    try:
        return keyring().decrypt(bytes(row.encrypted_key)).decode()
    except InvalidToken:
        raise ModelError(
            f"The key of the model connection {row.name} cannot be read any more. An administrator has to enter it "
            "again under Settings, Models.",
            kind="authentication",
            retryable=False,
        ) from None
