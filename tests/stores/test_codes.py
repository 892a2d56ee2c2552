"""The small codes of the event table."""

from runtime.domain.events import TYPES
from studio.store.codes import TYPE_CODES, TYPE_OF_CODE, source_code, source_of_code


def test_every_event_type_has_a_code_of_its_own():
    assert set(TYPE_CODES) == set(TYPES)
    assert len(TYPE_OF_CODE) == len(TYPE_CODES)


def test_sources_come_back_as_they_were():
    for source in ("system", "agent", "u_3kTq", "user:maya"):
        assert source_of_code(source_code(source)) == source
