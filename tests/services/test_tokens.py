"""API tokens: shown once, kept hashed, closed at once."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from studio.errors import NotAllowed, Refused
from studio.models import ApiToken
from studio.queries.accounts import is_still_allowed
from studio.rights import Scope
from studio.services.accounts import disable_user
from studio.services.audit import Actor
from studio.services.tokens import create_token, revoke_token, user_of_bearer
from tests.people import administrator, browser_of, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia():
    return person("mia")


@pytest.fixture
def token_and_text(mia):
    return create_token(Actor(mia, "127.0.0.1"), mia, "nightly-report")


def bearer(text):
    return user_of_bearer(f"Bearer {text}")


def test_a_token_stands_for_its_person(mia, token_and_text):
    token, text = token_and_text

    assert bearer(text) == (mia, token)


def test_the_token_itself_is_kept_nowhere(token_and_text):
    _, text = token_and_text

    assert text.split("_", 2)[2] not in str(ApiToken.objects.values().get())


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Basic abc",
        "Bearer st__",
        "Bearer st_00000000_x",
        "Bearer \0",
        "Bearer st_\u0661",
    ],
)
def test_anything_else_stands_for_nobody(token_and_text, header):
    assert user_of_bearer(header) is None


def test_a_token_with_one_other_letter_stands_for_nobody(token_and_text):
    _, text = token_and_text

    assert bearer(text[:-1] + ("A" if text[-1] != "A" else "B")) is None


def test_a_revoked_an_expired_and_a_disabled_persons_token_open_nothing(mia):
    actor = Actor(mia, "127.0.0.1")
    revoked, revoked_text = create_token(actor, mia, "revoked")
    expired, expired_text = create_token(actor, mia, "expired")
    kept, kept_text = create_token(actor, mia, "kept")
    assert is_still_allowed(mia.pk, kept.pk)

    revoke_token(actor, revoked)
    ApiToken.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert bearer(revoked_text) is None
    assert bearer(expired_text) is None
    assert bearer(kept_text) is not None

    disable_user(Actor.terminal(), mia)
    assert bearer(kept_text) is None
    assert not is_still_allowed(mia.pk, kept.pk)


def test_the_last_use_is_noted_once_a_minute(token_and_text, django_assert_num_queries):
    _, text = token_and_text
    bearer(text)
    first = ApiToken.objects.get().last_used_at

    with django_assert_num_queries(1):
        bearer(text)

    assert first is not None
    assert ApiToken.objects.get().last_used_at == first


def test_only_an_administrator_makes_tokens_for_others(mia):
    with pytest.raises(NotAllowed):
        create_token(Actor(person("otto"), "127.0.0.1"), mia, "x")

    create_token(Actor(administrator(), "127.0.0.1"), mia, "x")


@pytest.mark.parametrize(("name", "days"), [("", 7), ("x" * 101, 7), ("x", 0), ("x", -1), ("x", 99999)])
def test_a_bad_name_or_time_is_refused(mia, name, days):
    with pytest.raises(Refused):
        create_token(Actor(mia, "127.0.0.1"), mia, name, expires_days=days)


def test_the_page_shows_a_new_token_once(mia):
    browser = browser_of(mia)

    page = browser.post(reverse("settings-token-create"), {"name": "ci", "scopes": "read", "days": ""}).content.decode()
    again = browser.get(reverse("settings-tokens")).content.decode()

    text = page.partition('id="new-token">')[2].partition("<")[0]
    token = ApiToken.objects.get()
    assert bearer(text) == (mia, token)
    assert (token.scopes, token.expires_at) == ([Scope.READ.value], None)
    assert text not in again


def test_another_persons_token_cannot_be_revoked(token_and_text):
    token, text = token_and_text

    response = browser_of(person("otto")).post(reverse("settings-token-revoke", args=[token.public_id]))

    assert response.status_code == 404
    assert bearer(text) is not None
