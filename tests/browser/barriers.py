"""Whether everybody can use a page: WCAG 2.1 AA as axe checks it, on a desk and on a phone, by day and by night."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WIDTHS = (1440, 390)
SCHEMES = ("light", "dark")
# Preloading reads each style sheet again, for a second or two; of these rules only that about sounds that play by
# themselves would want it, and `check_page` sees to it that there are none.
OPTIONS = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa"], "preload": False}


def check_page(page: Page, path: str) -> None:
    """It has no barrier and does not scroll sideways, at each width and in both colour schemes."""
    page.emulate_media(reduced_motion="reduce")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(path)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page, options=OPTIONS)
            assert found.violations_count == 0, f"{path}, {width} wide, {scheme}: {found.generate_report()}"
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{path}, {width} wide"
        assert page.locator("audio, video").count() == 0
