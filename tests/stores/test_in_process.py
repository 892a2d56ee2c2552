"""The reference store keeps what every store promises."""

import pytest

from runtime.stores.in_process import InProcessStore
from tests.stores.suite import StoreSuite


class TestInProcessStore(StoreSuite):
    @pytest.fixture
    def store(self, clock):
        return InProcessStore(clock.now)
