// Without it: everything is reached by Tab and Enter. data-shortcut="n", "g a", "ctrl+s" presses or focuses its element.
const SEQUENCE_MS = 1000;
const FIELDS = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=true], yaml-editor";

export const isTyping = (target) => Boolean(target.closest?.(FIELDS));

export function lettersAreOn() {
  try {
    return localStorage.getItem("studio.letters") !== "off";
  } catch {
    return true;
  }
}

let before = { key: "", at: 0 };

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const withModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (!withModifier && (isTyping(event.target) || !lettersAreOn())) return;
  const pressed = nameOf(event);
  const sequence = performance.now() - before.at < SEQUENCE_MS ? `${before.key} ${pressed}` : "";
  before = { key: pressed, at: performance.now() };
  const element = (sequence && find(sequence)) || find(pressed);
  if (!element) return;
  event.preventDefault();
  if (element.matches("input:not([type=checkbox], [type=radio]), textarea")) element.focus();
  else element.click();
});

function nameOf(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key.toLowerCase();
  const shift = event.shiftKey && (event.key.length > 1 || event.ctrlKey || event.metaKey) ? "shift+" : "";
  const alt = event.altKey ? "alt+" : "";
  return `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${alt}${shift}${key}`;
}

// In an open dialog only its own shortcuts count.
function find(name) {
  const scope = document.querySelector("dialog:modal") ?? document;
  const found = [...scope.querySelectorAll(`[data-shortcut="${CSS.escape(name)}"]`)];
  return found.find((element) => !element.disabled && element.ariaDisabled !== "true" && element.checkVisibility());
}

const CAPS = { ctrl: "Ctrl", enter: "⏎", shift: "Shift", alt: "Alt", escape: "Esc", arrowleft: "←", arrowright: "→" };

class ShortcutSheet extends HTMLElement {
  connectedCallback() {
    this.closest("dialog")?.addEventListener("toggle", () => this.fill());
    const letters = this.closest("dialog")?.querySelector("[data-shortcut-letters]");
    if (!letters) return;
    letters.checked = lettersAreOn();
    letters.addEventListener("change", () => localStorage.setItem("studio.letters", letters.checked ? "on" : "off"));
  }

  fill() {
    const seen = new Set();
    const rows = [...document.querySelectorAll("[data-shortcut]")].filter((element) => {
      const key = element.dataset.shortcut;
      return !seen.has(key) && seen.add(key);
    });
    this.replaceChildren(...rows.map((element) => row(wordsOf(element), element.dataset.shortcut)), row("Sidebar", "\\"));
  }
}

function wordsOf(element) {
  const copy = element.cloneNode(true);
  for (const part of copy.querySelectorAll("kbd, .c-nav__count")) part.remove();
  return element.dataset.shortcutLabel ?? element.ariaLabel ?? (copy.textContent.trim() || element.placeholder || element.title);
}

function row(words, shortcut) {
  const line = document.createElement("div");
  line.className = "c-keys-sheet__row";
  const label = document.createElement("span");
  label.textContent = words;
  const keys = document.createElement("span");
  keys.className = "c-keys__key";
  for (const part of shortcut.split(/[ +]/)) {
    const cap = document.createElement("kbd");
    cap.className = "c-kbd";
    cap.textContent = CAPS[part] ?? (part.length === 1 ? part.toUpperCase() : part);
    keys.append(cap);
  }
  line.append(label, keys);
  return line;
}

customElements.define("shortcut-sheet", ShortcutSheet);
