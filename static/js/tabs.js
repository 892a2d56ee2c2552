// Without it: tabs are links to the parts of the page, all shown. <tab-set> holds [role=tab][href="#id"] and the parts.
class TabSet extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", this);
    this.addEventListener("keydown", this);
    const chosen = this.tabs.find((tab) => tab.getAttribute("aria-selected") === "true") ?? this.tabs[0];
    if (chosen) this.choose(chosen);
  }

  disconnectedCallback() {
    this.removeEventListener("click", this);
    this.removeEventListener("keydown", this);
  }

  get tabs() {
    return [...this.querySelectorAll('[role="tab"][href^="#"]')].filter((tab) => tab.closest("tab-set") === this);
  }

  handleEvent(event) {
    const tab = event.target.closest('[role="tab"][href^="#"]');
    if (!tab || !this.tabs.includes(tab)) return;
    if (event.type === "click") {
      event.preventDefault();
      this.choose(tab);
      return;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const all = this.tabs;
    const next = all[(all.indexOf(tab) + step + all.length) % all.length];
    event.preventDefault();
    this.choose(next);
    next.focus();
  }

  choose(chosen) {
    for (const tab of this.tabs) {
      const isChosen = tab === chosen;
      const panel = document.getElementById(tab.getAttribute("href").slice(1));
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      if (panel) panel.hidden = !isChosen;
    }
    this.dispatchEvent(new CustomEvent("tab", { detail: { id: chosen.getAttribute("href").slice(1) }, bubbles: true }));
  }
}

customElements.define("tab-set", TabSet);
