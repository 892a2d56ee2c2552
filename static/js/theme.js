// Without it: the theme follows the system, the sidebar is as the page asks. Blocking in <head>, so that nothing flashes.
(() => {
  const root = document.documentElement;
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const write = (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Storage is refused: the choice lasts for this page.
    }
  };

  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };

  apply(read("studio.theme"));
  root.dataset.sideDefault = root.dataset.side;
  root.dataset.side = read(`studio.side.${root.dataset.side}`) || root.dataset.side;

  class ThemeSwitch extends HTMLElement {
    connectedCallback() {
      this.addEventListener("click", this);
      this.mark();
    }

    disconnectedCallback() {
      this.removeEventListener("click", this);
    }

    handleEvent(event) {
      const button = event.target.closest("button[value]");
      if (!button) return;
      write("studio.theme", button.value);
      apply(button.value);
      for (const other of document.querySelectorAll("theme-switch")) other.mark();
    }

    mark() {
      const theme = read("studio.theme") || "system";
      for (const button of this.querySelectorAll("button[value]")) {
        button.setAttribute("aria-pressed", String(button.value === theme));
      }
    }
  }

  customElements.define("theme-switch", ThemeSwitch);
})();
