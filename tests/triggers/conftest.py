"""A studio with people in every role and a stored secret; nothing runs in it."""

import pytest

from studio.services.accounts import default_project
from studio.services.audit import Actor
from studio.services.secrets import store_secret
from tests.people import everybody
from tests.triggers.outside import SECRET


@pytest.fixture
def people(transactional_db):
    return everybody()


@pytest.fixture
def secret(people):
    return store_secret(Actor.terminal(), default_project(), "ORDERS_HOOK", SECRET, [])
