"""Static files come without a login, without a thread, and without Debug."""

import pytest

CSS = "/static/css/app.css"


async def test_a_file_is_served_to_everybody(async_client):
    response = await async_client.get(CSS)

    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/css")
    assert b"@layer" in response.content
    assert "Access-Control-Allow-Origin" not in response.headers


async def test_a_file_that_is_known_is_not_sent_again(async_client):
    first = await async_client.get(CSS)

    again = await async_client.get(CSS, headers={"If-None-Match": first.headers["ETag"]})

    assert (again.status_code, again.content) == (304, b"")


async def test_only_the_head_is_sent_when_only_that_is_asked(async_client):
    response = await async_client.head(CSS)

    assert response.status_code == 200
    assert response.content == b""


@pytest.mark.parametrize("path", ["/static/no.css", "/static/../manage.py", "/static/%2e%2e/manage.py", "/static/"])
async def test_nothing_else_is_served(async_client, path):
    assert (await async_client.get(path)).status_code == 404
