"""Every page can be used by everybody: WCAG 2.1 AA as axe checks it, on a desk and on a phone."""

import pytest

from tests.browser.barriers import check_page

pytestmark = pytest.mark.browser

PAGES = [
    "/",
    "/welcome",
    "/agents/new",
    "/agents/import",
    "/agents/refund-desk/edit",
    "/agents/refund-desk/history",
    "/agents/refund-desk/triggers",
    "/approvals",
    "/approvals?state=grants",
    "/live",
    "/memory",
    "/memory?add",
    "/memory?forget",
    "/settings/account",
    "/settings/tokens",
    "/settings/models",
    "/settings/members",
    "/settings/audit",
    "/settings/secrets",
    "/tools",
    "/tools/issue_refund",
    "/tools/new/http",
    "/tools/new/document",
    "/tools/new/server",
    "/no-such-page",
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_barrier_and_no_sideways_scrolling(lenient, path):
    check_page(lenient, path)
