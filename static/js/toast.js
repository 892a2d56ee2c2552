// Without it: a toast stays until the next page. With it: five seconds, one at a time, held while looked at.
const SHOWN_MS = 5000;

class ToastNote extends HTMLElement {
  connectedCallback() {
    for (const other of [...this.parentElement.children]) {
      if (other !== this) other.remove();
    }
    for (const type of ["pointerenter", "focusin"]) this.addEventListener(type, () => clearTimeout(this.timer));
    for (const type of ["pointerleave", "focusout"]) this.addEventListener(type, () => this.start());
    this.start();
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
  }

  start() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.remove(), SHOWN_MS);
  }
}

customElements.define("toast-note", ToastNote);

// A server answers with `HX-Trigger: {"toast": {"text": "Published v15."}}`; scripts call showToast.
export function showToast(text) {
  const toast = document.createElement("toast-note");
  toast.className = "c-toast";
  const words = document.createElement("span");
  words.textContent = text;
  toast.append(words);
  document.getElementById("toasts")?.append(toast);
}

document.addEventListener("toast", (event) => showToast(event.detail.text ?? event.detail.value));
