// Without it: Tab and Enter. J and K move, arrows fold, N goes to the next interrupt or error, Home and End to the ends.
import { isTyping, lettersAreOn } from "./shortcuts.js";

export class TrajectoryKeys {
  constructor(page) {
    this.page = page;
    this.onKey = (event) => this.press(event);
    document.addEventListener("keydown", this.onKey);
  }

  stop() {
    document.removeEventListener("keydown", this.onKey);
  }

  press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target) || document.querySelector("dialog:modal")) return;
    const isLetter = event.key.length === 1;
    if (isLetter && !lettersAreOn()) return;
    if (!isLetter && !this.isHere(event.target)) return;
    if (this.act(event.key)) event.preventDefault();
  }

  // Arrows, Home and End belong to whatever has the focus; here only to the rows, or to nothing.
  isHere(target) {
    return target === document.body || target.id === "main" || Boolean(target.closest("#trajectory-scroll"));
  }

  act(key) {
    const { rows } = this.page;
    const row = rows.selected;
    switch (key) {
      case "j":
      case "ArrowDown":
        return this.go(rows.neighbour(row, 1));
      case "k":
      case "ArrowUp":
        return this.go(rows.neighbour(row, -1));
      case "ArrowRight":
        if (row?.getAttribute("aria-expanded") === "false") return rows.fold(row, true), true;
        return row?.hasAttribute("aria-expanded") ? this.go(rows.neighbour(row, 1)) : false;
      case "ArrowLeft":
        if (row?.getAttribute("aria-expanded") === "true") return rows.fold(row, false), true;
        return row?.dataset.parent || row?.dataset.of ? this.go(rows.parentOf(row)) : false;
      case "Home":
        return this.page.choose(1), true;
      case "End":
        return this.page.choose(0), true;
      case "Enter":
        return this.open(document.activeElement.closest("[data-row]") ?? row);
      case " ":
        return this.play(document.activeElement);
      case "n":
        return this.nextTrouble();
      default:
        return false;
    }
  }

  // Space presses a button that has the focus; elsewhere in the rows it plays.
  play(focused) {
    if (!this.isHere(focused) || focused.closest("button, summary")) return false;
    document.querySelector("trajectory-play button").click();
    return true;
  }

  go(row) {
    if (row) this.page.chooseRow(row);
    return true;
  }

  open(row) {
    if (row) this.page.chooseRow(row, { opens: true });
    return Boolean(row);
  }

  nextTrouble() {
    const troubles = this.page.rows.list.dataset.troubles.split(" ").filter(Boolean).map(Number);
    const next = troubles.find((seq) => seq > this.page.seq) ?? troubles[0];
    if (next) this.page.choose(next);
    return true;
  }
}
