"""Whoever is disabled, or loses a role, has no rollout that goes on by itself."""

import pytest

from runtime.domain.events import RolloutPaused
from studio.models import PendingEvent, Rollout
from studio.rights import Role
from studio.services.accounts import default_project, disable_user, set_role
from studio.services.audit import Actor
from studio.store.codes import TYPE_CODES
from tests.people import everybody
from tests.sessions import published_agent, session_of

PAUSED = TYPE_CODES[RolloutPaused.model_fields["type"].default]


@pytest.fixture
def people(transactional_db):
    return everybody()


@pytest.fixture
def rollout(people):
    """A member's rollout, in the middle of its work."""
    session = session_of(people["member"], published_agent(people["author"]), "The member's")
    Rollout.objects.filter(session=session).update(lifecycle="running")
    return session.rollouts.get()


def paused(rollout: Rollout) -> bool:
    return PendingEvent.objects.filter(rollout=rollout, type=PAUSED).exists()


def test_a_disabled_persons_work_is_paused(people, rollout):
    disable_user(Actor.terminal(), people["member"])

    assert paused(rollout)


def test_who_leaves_the_project_leaves_nothing_running_in_it(people, rollout):
    set_role(Actor.terminal(), people["member"], default_project(), None)

    assert paused(rollout)


def test_another_role_that_may_talk_disturbs_nothing(people, rollout):
    set_role(Actor.terminal(), people["member"], default_project(), Role.REVIEWER)

    assert not paused(rollout)


def test_others_work_goes_on(people, rollout):
    disable_user(Actor.terminal(), people["other member"])

    assert not paused(rollout)
