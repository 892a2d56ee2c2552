// Without it: a list is as old as the page. An element that fetches its own page now and then, and draws what changed;
// not while the tab is hidden.
export class LooksAgain extends HTMLElement {
  connectedCallback() {
    this.timer = setInterval(() => this.look(), this.constructor.everyMs);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }

  async look() {
    if (document.hidden) return;
    try {
      const response = await fetch(location.href);
      if (response.ok && !response.redirected) this.draw(new DOMParser().parseFromString(await response.text(), "text/html"));
    } catch {
      // The next look may reach the server; the page says nothing that is not true meanwhile.
    }
  }
}
