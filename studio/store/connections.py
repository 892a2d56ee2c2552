"""The providers' Connections port over the table of model connections."""

from asgiref.sync import sync_to_async
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from runtime.ports import ModelError
from runtime.providers.connections import Connection, Prices
from studio.models import ModelConnection


class StoredConnections:
    """Finds a model connection by its name, or by the LiteLLM provider that stands before the slash."""

    async def resolve(self, model: str, project: str) -> Connection:
        """Raises ModelError that says what an administrator must do."""
        return await sync_to_async(_resolve)(model)


def _resolve(model: str) -> Connection:
    row = ModelConnection.objects.filter(name=model).first()
    if row is not None:
        return _connection(row, row.litellm_model)
    if "/" not in model:
        raise ModelError(
            f"There is no model connection named {model}. An administrator can add it under Settings, Models.",
            kind="not_found",
            retryable=False,
        )
    row = ModelConnection.objects.filter(litellm_model=model).first()
    row = row or ModelConnection.objects.filter(litellm_model__startswith=model.split("/")[0] + "/").first()
    if row is None:
        raise ModelError(
            f"There is no key for {model}. An administrator can add a connection for it under Settings, Models.",
            kind="authentication",
            retryable=False,
        )
    return _connection(row, model)


def _connection(row: ModelConnection, litellm_model: str) -> Connection:
    prices = None
    if row.input_price_usd is not None and row.output_price_usd is not None:
        prices = Prices(row.input_price_usd, row.output_price_usd)
    return Connection(litellm_model, row.name, row.address, _key(row), prices)


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


def keyring() -> MultiFernet:
    """Encrypts with the newest key, decrypts with any."""
    return MultiFernet([Fernet(key) for key in settings.ENCRYPTION_KEYS])
