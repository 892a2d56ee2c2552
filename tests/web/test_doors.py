"""No door is open by accident: each route has an owner rule, or a reason to be open."""

import pytest
from django.test import Client
from django.urls import reverse

from studio.doors import OPEN_DOORS
from studio.rights import Scope
from studio.route_rules import ROUTES, Rule, rule_of
from studio.services.audit import Actor
from studio.services.tokens import create_token
from tests.people import administrator, browser_of, everybody, person
from tests.web.routes import all_routes


def test_every_route_has_an_owner_rule_or_a_reason_to_be_open():
    ungoverned = [name for name in all_routes() if name not in OPEN_DOORS and rule_of(name) is None]

    assert ungoverned == [], "give each a line in studio/route_rules.py, or a reason in studio/doors.py"


def test_no_route_is_both_open_and_owned():
    assert [name for name in OPEN_DOORS if rule_of(name)] == []


def test_every_line_names_a_route_that_exists():
    routes = set(all_routes())
    namespaces = {f"{name.rpartition(':')[0]}:*" for name in routes if ":" in name}

    assert set(OPEN_DOORS) <= routes
    assert set(ROUTES) <= routes | namespaces


@pytest.mark.django_db
def test_without_a_login_every_closed_route_leads_to_the_sign_in_page(client):
    for name, pattern in all_routes().items():
        if name in OPEN_DOORS or pattern.pattern.converters or ":" in name:
            continue
        response = client.get(reverse(name))

        assert response.status_code == 302, name
        assert response.headers["Location"].startswith("/sign-in?next="), name


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/admin/", "/admin/studio/user/", "/settings/tokens/t_1/revoke", "/settings/members"])
def test_without_a_login_deep_addresses_lead_to_the_sign_in_page(client, path):
    assert client.get(path).headers["Location"].startswith("/sign-in?next=")


@pytest.mark.django_db
def test_administrators_pages_are_refused_to_everybody_else():
    for word, user in everybody().items():
        browser = browser_of(user)
        for name, rule in ROUTES.items():
            if rule is not Rule.ADMINISTRATOR or name == "admin:*":
                continue
            pattern = all_routes()[name]
            path = reverse(name, args=["u_1"] if pattern.pattern.converters else [])
            expected = {302} if user is None else {200, 302, 400, 404, 405} if word == "admin" else {403}

            assert browser.get(path).status_code in expected, (word, name)
            assert browser.post(path).status_code in expected, (word, name)


@pytest.mark.django_db
def test_djangos_admin_opens_for_administrators_only():
    assert browser_of(administrator()).get("/admin/").status_code == 200
    assert browser_of(person("mia")).get("/admin/").status_code == 403


@pytest.mark.django_db
def test_pages_behind_the_login_are_not_kept_by_caches():
    response = browser_of(person("mia")).get(reverse("settings-account"))

    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_every_answer_carries_the_content_security_policy(client):
    expected = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    for path in ("/sign-in", "/health", "/no-such-page", "/static/css/app.css"):
        assert client.get(path).headers["Content-Security-Policy"] == expected, path


@pytest.mark.django_db
def test_a_write_without_the_csrf_token_is_refused():
    response = Client(enforce_csrf_checks=True).post("/sign-in", {"username": "mia", "password": "x"})

    assert response.status_code == 403
    assert "Load the page again" in response.content.decode()


def test_the_health_page_answers_without_a_login(client, db):
    assert client.get("/health").json() == {"status": "ok", "database": "ok"}


@pytest.mark.django_db
def test_an_htmx_request_without_a_login_sends_the_whole_page_to_the_sign_in_page(client):
    response = client.get(reverse("settings-account"), headers={"HX-Request": "true"})

    assert response.status_code == 401
    assert response.headers["HX-Redirect"].startswith("/sign-in")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/amp/v1/sessions", "/amp/v1/no-such-thing"])
def test_the_api_answers_strangers_with_a_problem_and_no_page(client, path):
    response = client.get(path)

    assert response.status_code in {401, 404}
    assert response.headers["Content-Type"] == "application/problem+json"


@pytest.mark.django_db
def test_a_token_that_is_not_known_is_told_so(client):
    response = client.get("/amp/v1/sessions", headers={"Authorization": "Bearer st_12345678_x"})

    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert "Make a new one" in response.json()["detail"]


@pytest.mark.django_db
def test_a_token_for_reading_cannot_write(client):
    mia = person("mia")
    _, text = create_token(Actor(mia, "127.0.0.1"), mia, "reader", scopes=(Scope.READ,))

    response = client.post("/amp/v1/sessions", headers={"Authorization": f"Bearer {text}"})

    assert response.status_code == 403
    assert "scope write" in response.json()["detail"]


@pytest.mark.django_db
def test_an_api_write_with_a_cookie_needs_the_csrf_token():
    strict = Client(SERVER_NAME="localhost", enforce_csrf_checks=True)
    strict.force_login(person("mia"))

    response = strict.post("/amp/v1/sessions", content_type="application/json", data="{}")

    assert response.status_code in {403, 404}
    assert response.headers["Content-Type"] == "application/problem+json"
