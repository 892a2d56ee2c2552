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

// A server answers with `HX-Trigger: {"toast": {"text": "Published v15."}}`; scripts call showToast, with a word and what it does.
export function showToast(text, action, act) {
  const toast = document.createElement("toast-note");
  toast.className = "c-toast";
  const words = document.createElement("span");
  words.textContent = text;
  toast.append(words);
  if (action) toast.append(actionOf(action, () => (toast.remove(), act())));
  document.getElementById("toasts")?.append(toast);
}

function actionOf(word, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "c-toast__action";
  button.textContent = word;
  button.addEventListener("click", act);
  return button;
}

document.addEventListener("toast", (event) => showToast(event.detail.text ?? event.detail.value));
