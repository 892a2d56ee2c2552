// Without it: the text is selected and copied by hand. <copy-button data-from="id"> or data-text; holds one <button>.
const SAID_MS = 1600;

class CopyButton extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", this);
  }

  disconnectedCallback() {
    this.removeEventListener("click", this);
    clearTimeout(this.timer);
  }

  async handleEvent(event) {
    const button = event.target.closest("button");
    if (!button) return;
    const text = this.dataset.text ?? document.getElementById(this.dataset.from)?.textContent ?? "";
    await navigator.clipboard.writeText(text);
    this.say(button);
  }

  say(button) {
    const use = button.querySelector("use");
    const href = use?.getAttribute("href");
    use?.setAttribute("href", `${document.documentElement.dataset.icons}#check`);
    button.title = "Copied";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (href) use.setAttribute("href", href);
      button.title = "Copy";
    }, SAID_MS);
  }
}

customElements.define("copy-button", CopyButton);
