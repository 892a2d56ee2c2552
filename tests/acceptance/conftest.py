"""The studio of all tests of bad weather: started once, watched after each of them, checked at the end."""

from collections.abc import Iterator

import pytest

from tests.acceptance.weather import Weather, weather


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weather]:
    with weather(tmp_path_factory.mktemp("weather")) as found:
        yield found


@pytest.fixture
def sky(studio: Weather) -> Iterator[Weather]:
    """The studio, of which no fault may be in the log when the test is over."""
    yield studio
    assert studio.new_faults() == []
