"""Every page can be used by everybody: WCAG 2.1 AA as axe checks it, on a desk and on a phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa"]}
PAGES = [
    "/",
    "/welcome",
    "/agents/new",
    "/agents/import",
    "/agents/refund-desk/edit",
    "/agents/refund-desk/history",
    "/settings/account",
    "/settings/tokens",
    "/settings/models",
    "/settings/members",
    "/settings/audit",
    "/no-such-page",
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_barrier_and_no_sideways_scrolling(lenient, path, width, scheme):
    lenient.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    lenient.set_viewport_size({"width": width, "height": 844})
    lenient.goto(path)

    found = Axe().run(lenient, options=RULES)

    assert found.violations_count == 0, found.generate_report()
    assert lenient.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
