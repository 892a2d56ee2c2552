// Without it: rows are reached by Tab. <list-cursor> round a list of [data-row]: J and K move, Enter opens, X marks.
import { isTyping, lettersAreOn } from "./shortcuts.js";

class ListCursor extends HTMLElement {
  connectedCallback() {
    this.onKey = (event) => this.press(event);
    document.addEventListener("keydown", this.onKey);
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.onKey);
  }

  get rows() {
    return [...this.querySelectorAll("[data-row]")].filter((row) => row.checkVisibility());
  }

  get current() {
    return this.querySelector("[data-row][data-cursor]");
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || !lettersAreOn() || document.querySelector("dialog:modal")) return;
    const step = { j: 1, k: -1 }[event.key];
    if (step) this.move(step);
    else if (event.key === "Enter" && this.current && !event.target.closest("a, button, summary")) this.open();
    else if (event.key === "x") this.current?.querySelector("input[type=checkbox]")?.click();
    else return;
    event.preventDefault();
  }

  move(step) {
    const rows = this.rows;
    const at = rows.indexOf(this.current ?? this.querySelector('[data-row]:is([aria-selected="true"], [aria-current])'));
    const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + step))];
    if (!next) return;
    this.current?.removeAttribute("data-cursor");
    next.setAttribute("data-cursor", "");
    const focused = document.activeElement;
    if (!next.hasAttribute("tabindex") || !this.contains(focused)) focused?.blur(); // Enter is for the marked row
    if (next.hasAttribute("tabindex")) this.rove(next);
    next.scrollIntoView({ block: "nearest" });
    this.dispatchEvent(new CustomEvent("cursor", { detail: { row: next }, bubbles: true }));
  }

  // Rows that take focus (a tree grid): one of them is in the Tab order.
  rove(next) {
    for (const row of this.querySelectorAll('[data-row][tabindex="0"]')) row.tabIndex = -1;
    next.tabIndex = 0;
    if (this.contains(document.activeElement)) next.focus({ preventScroll: true });
  }

  open() {
    (this.current.matches("a, button") ? this.current : this.current.querySelector("a[href], button"))?.click();
  }
}

customElements.define("list-cursor", ListCursor);
