"""Getting in: one-time links, passwords, and what is said when it does not work."""

from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from studio.models import AuditEntry, Browser, SignInDelay, SignInLink
from studio.queries.accounts import is_still_allowed
from studio.services.accounts import change_password, disable_user
from studio.services.audit import Actor
from studio.services.housekeeping import keep_house
from studio.services.signin import (
    LinkRefused,
    TooManyTries,
    WrongPassword,
    check_password,
    make_sign_in_link,
    sign_in_url,
    use_sign_in_link,
)
from tests.people import administrator, browser_of, person

GOOD_PASSWORD = "a walk along the quay"

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia():
    user = person("mia")
    change_password(Actor.terminal(), user, GOOD_PASSWORD)
    return user


@pytest.fixture
def visitor():
    return Client(SERVER_NAME="localhost")


def link_for(user):
    return reverse("sign-in-link", args=[make_sign_in_link(Actor.terminal(), user)])


def test_opening_a_link_signs_nobody_in(mia, visitor):
    page = visitor.get(link_for(mia))

    assert page.status_code == 200
    assert SignInLink.objects.get().used_at is None
    assert visitor.get(reverse("settings-account")).status_code == 302


def test_the_button_behind_a_link_signs_in_once(mia, visitor):
    link = link_for(mia)

    first, second = visitor.post(link), Client(SERVER_NAME="localhost").post(link)

    assert first.status_code == 302
    assert visitor.get(reverse("settings-account")).status_code == 200
    assert second.status_code == 403
    assert "This link is spent" in second.content.decode()


def test_a_link_is_too_old_after_15_minutes(mia):
    secret = make_sign_in_link(Actor.terminal(), mia)
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    with pytest.raises(LinkRefused):
        use_sign_in_link(secret, "127.0.0.1")


@pytest.mark.parametrize(
    "where", [{"REMOTE_ADDR": "192.0.2.7"}, {"SERVER_NAME": "testserver"}], ids=["another machine", "another name"]
)
def test_a_link_works_on_the_servers_own_machine_only(mia, where):
    secret = make_sign_in_link(Actor.terminal(), mia)

    page = Client(**{"SERVER_NAME": "localhost"} | where).post(reverse("sign-in-link", args=[secret]))

    assert page.status_code == 403
    assert SignInLink.objects.get().used_at is None


def test_links_work_from_anywhere_when_the_operator_said_so(mia, settings):
    settings.SIGN_IN_LINKS_ANYWHERE = True

    assert Client(REMOTE_ADDR="192.0.2.7").post(link_for(mia)).status_code == 302


def test_a_printed_link_names_the_studios_address(mia, settings):
    settings.BASE_URL = "https://studio.example.org"

    assert sign_in_url("SECRET") == "https://studio.example.org/sign-in/link/SECRET"


def test_a_right_password_leads_to_the_wanted_page(mia, visitor):
    response = visitor.post("/sign-in", {"username": "mia", "password": GOOD_PASSWORD, "next": "/settings/tokens"})

    assert response.headers["Location"] == "/settings/tokens"
    assert visitor.get("/settings/tokens").status_code == 200


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_signing_in_never_leads_to_another_site(mia, visitor, elsewhere):
    response = visitor.post("/sign-in", {"username": "mia", "password": GOOD_PASSWORD, "next": elsewhere})

    assert response.headers["Location"] == "/"


@pytest.mark.parametrize("no_path", ["tokens", "{}", "sign-out", "a\x00", "http:evil.example"])
def test_signing_in_leads_to_the_first_page_if_no_path_of_ours_is_wanted(mia, visitor, no_path):
    response = visitor.post("/sign-in", {"username": "mia", "password": GOOD_PASSWORD, "next": no_path})

    assert response.headers["Location"] == "/"
    assert visitor.get("/sign-in", {"next": no_path}).headers["Location"] == "/"


def test_a_wrong_password_and_an_unknown_name_are_answered_alike(mia, visitor):
    wrong = visitor.post("/sign-in", {"username": "mia", "password": "no"})
    unknown = visitor.post("/sign-in", {"username": "nia", "password": "no"})

    assert wrong.status_code == unknown.status_code == 403
    assert "Name and password do not match" in wrong.content.decode()
    assert "Name and password do not match" in unknown.content.decode()


@pytest.mark.parametrize("name", ["\0", "mia\0", "😀" * 64, "x" * 5000], ids=["NUL", "NUL after", "emoji", "long"])
def test_odd_names_are_refused_in_words(visitor, name):
    assert visitor.post("/sign-in", {"username": name, "password": "no"}).status_code in {200, 403}


def test_after_three_wrong_passwords_each_try_has_to_wait_longer(mia):
    waits = []
    for _ in range(6):
        with pytest.raises(WrongPassword):
            check_password("mia", "no", "192.0.2.7")
        delay = SignInDelay.objects.get(kind="account")
        waits.append(round((delay.until - timezone.now()).total_seconds()))
        SignInDelay.objects.update(until=timezone.now())

    assert waits == [0, 0, 1, 2, 4, 8]


def test_while_the_wait_lasts_even_the_right_password_is_not_looked_at(mia):
    SignInDelay.objects.create(kind="account", subject="mia", failures=9, until=timezone.now() + timedelta(seconds=30))

    with pytest.raises(TooManyTries) as refused:
        check_password("mia", GOOD_PASSWORD, "192.0.2.7")

    assert "Wait 30 seconds" in str(refused.value)


def test_an_address_that_tries_many_names_has_to_wait_too(mia):
    for number in range(10):
        with pytest.raises(WrongPassword):
            check_password(f"guess{number}", "no", "192.0.2.7")

    with pytest.raises(TooManyTries):
        check_password("mia", GOOD_PASSWORD, "192.0.2.7")
    assert check_password("mia", GOOD_PASSWORD, "192.0.2.8") == mia


def test_a_right_password_forgets_the_wrong_ones(mia):
    with pytest.raises(WrongPassword):
        check_password("mia", "no", "192.0.2.7")

    check_password("mia", GOOD_PASSWORD, "192.0.2.7")

    assert not SignInDelay.objects.exists()


def test_a_disabled_person_is_out_at_once(mia, visitor):
    visitor.post(link_for(mia))
    key = visitor.session.session_key
    assert is_still_allowed(mia.pk, session_key=key)
    administrator()

    disable_user(Actor.terminal(), mia)

    assert not is_still_allowed(mia.pk, session_key=key)
    assert visitor.get(reverse("settings-account")).status_code == 302
    with pytest.raises(WrongPassword):
        check_password("mia", GOOD_PASSWORD, "192.0.2.7")


def test_signing_out_ends_the_session(mia):
    browser = browser_of(mia)
    key = browser.session.session_key

    browser.post(reverse("sign-out"))

    assert not is_still_allowed(mia.pk, session_key=key)
    assert not Browser.objects.exists()


def test_a_page_never_signs_out_by_being_looked_at(mia):
    browser = browser_of(mia)

    assert browser.get(reverse("sign-out")).status_code == 405
    assert browser.get(reverse("settings-account")).status_code == 200


def test_another_browser_can_be_signed_out(mia):
    here, there = browser_of(mia), browser_of(mia)
    row = Browser.objects.get(session_key=there.session.session_key)

    here.post(reverse("settings-browser-sign-out", args=[row.pk]))

    assert there.get(reverse("settings-account")).status_code == 302
    assert here.get(reverse("settings-account")).status_code == 200


def test_another_persons_browser_cannot_be_signed_out(mia):
    browser_of(mia)
    row = Browser.objects.get()

    response = browser_of(person("otto")).post(reverse("settings-browser-sign-out", args=[row.pk]))

    assert response.status_code == 404
    assert Browser.objects.filter(pk=row.pk).exists()


def test_a_new_password_signs_out_the_other_browsers(mia):
    here, there = browser_of(mia), browser_of(mia)

    response = here.post(reverse("settings-password"), {"new": "rain on the roof", "again": "rain on the roof"})

    assert response.status_code == 302
    assert here.get(reverse("settings-account")).status_code == 200
    assert there.get(reverse("settings-account")).status_code == 302


@pytest.mark.parametrize(
    ("new", "again", "sentence"),
    [
        ("rain on the roof", "rain on the roofs", "The two passwords differ"),
        ("short", "short", "at least 10 characters"),
        ("password1234", "password1234", "too common"),
    ],
)
def test_a_weak_or_mistyped_password_is_refused_with_the_reason(mia, new, again, sentence):
    page = browser_of(mia).post(reverse("settings-password"), {"new": new, "again": again})

    assert page.status_code == 400
    assert sentence in page.content.decode()


def test_what_matters_asks_again_who_one_is_after_a_while(mia):
    browser = browser_of(mia)
    session = browser.session
    session["signed_in_at"] = 0
    session.save()

    asked = browser.post(reverse("settings-token-create"), {"name": "x", "scopes": "read", "days": "7"})
    confirmed = browser.post(asked.headers["Location"], {"password": GOOD_PASSWORD, "next": "/settings/tokens"})

    assert asked.headers["Location"] == "/sign-in/again?next=%2Fsettings%2Ftokens"
    assert confirmed.headers["Location"] == "/settings/tokens"
    assert "Make token" in browser.get("/settings/tokens").content.decode()


def test_every_sign_in_is_in_the_audit_log(mia, visitor):
    visitor.post(link_for(mia))

    entry = AuditEntry.objects.order_by("pk").last()
    assert (entry.action, entry.who, entry.origin, entry.after) == ("signed_in", "mia", "127.0.0.1", {"by": "link"})


@pytest.mark.django_db(transaction=True)
def test_a_delay_that_is_over_is_forgotten_and_one_that_is_not_is_kept():
    now = timezone.now()
    over, not_over = now - timedelta(hours=2), now + timedelta(minutes=5)
    SignInDelay.objects.create(kind="account", subject="over", failures=1, until=over)
    SignInDelay.objects.create(kind="account", subject="not over", failures=9, until=not_over)

    async_to_sync(keep_house)()

    assert [delay.subject for delay in SignInDelay.objects.all()] == ["not over"]
