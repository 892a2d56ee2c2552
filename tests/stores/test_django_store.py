"""The store over the database keeps what every store promises."""

from tests.stores.suite import StoreSuite


class TestDjangoStore(StoreSuite):
    """With the fixture `store` of conftest."""
