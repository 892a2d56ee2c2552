"""A browser without a screen: cookies, forms and pages of a running studio."""

import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

SECONDS = 120  # importing LiteLLM takes long on a busy machine


class Browsing:
    """Signs in by link; `get` and `post` give the status and the text of the page that they end at."""

    def __init__(self, url: str) -> None:
        self.url, self._cookies = url, CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))

    def sign_in(self, link: str) -> None:
        self.get(link.removeprefix(self.url))
        status, page = self.post(link.removeprefix(self.url), {})
        assert status == 200, page

    def get(self, path: str) -> tuple[int, str]:
        return self._open(urllib.request.Request(self.url + path))

    def post(self, path: str, fields: dict[str, str] | bytes) -> tuple[int, str]:
        """`fields` as bytes are sent as they are, encoded already."""
        token = next((cookie.value or "" for cookie in self._cookies if "csrf" in cookie.name), "")
        body = fields if isinstance(fields, bytes) else urllib.parse.urlencode(fields).encode()
        return self._open(urllib.request.Request(self.url + path, body, {"Origin": self.url, "X-CSRFToken": token}))

    def _open(self, request: urllib.request.Request) -> tuple[int, str]:
        try:
            with self._opener.open(request, timeout=SECONDS) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
