"""Which provider speaks to which model: one line for each provider with a name of its own."""

from collections.abc import AsyncIterator, Mapping

from runtime.ports import Chunk, Model, ModelRequest


class ModelTable:
    """A Model that hands each request to the provider of its model string.

    `providers` maps what stands before the first slash (`playbook`) to a provider; all others go to `otherwise`.
    """

    def __init__(self, providers: Mapping[str, Model], otherwise: Model) -> None:
        self._providers, self._otherwise = dict(providers), otherwise

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The answer of the provider in charge."""
        return self.provider_of(request.model).stream(request)

    def provider_of(self, model: str) -> Model:
        """The provider in charge of this model string."""
        head, slash, _ = model.partition("/")
        return self._providers.get(head, self._otherwise) if slash else self._otherwise
