// Without it: rows are links and nothing folds. Which row is chosen, what is folded away, what lies after the event.
export class TrajectoryRows {
  constructor(page) {
    this.page = page;
    this.wanted = 0;
  }

  get list() {
    return document.getElementById("trajectory-list");
  }

  get last() {
    return Number(this.list.dataset.last);
  }

  get selected() {
    return this.list.querySelector('[data-row][aria-selected="true"]');
  }

  /** The row that stands for the event, if it is on the page. */
  rowOf(seq) {
    return this.list.querySelector(`[data-covers~="${seq}"]`);
  }

  /** Choose the row of an event (0 = none). A row that is not here yet is fetched, and chosen when it comes. */
  select(seq, { scrolls = true } = {}) {
    const row = seq ? this.rowOf(seq) : null;
    this.dim(seq);
    this.wanted = 0;
    if (row?.hidden) this.unfold(this.parentOf(row));
    this.mark(row, { scrolls });
    if (!row && seq && this.fetch(seq)) this.wanted = seq;
    if (!this.list.querySelector('[data-row][tabindex="0"]')) this.list.querySelector("[data-row]")?.setAttribute("tabindex", "0");
  }

  /** Which row the reader stands on (null = none). */
  mark(row, { scrolls = true } = {}) {
    for (const other of this.list.querySelectorAll('[data-row][aria-selected="true"]')) {
      if (other !== row) other.removeAttribute("aria-selected");
    }
    if (!row) return;
    row.setAttribute("aria-selected", "true");
    this.rove(row);
    if (scrolls) row.scrollIntoView({ block: "nearest" });
  }

  dim(seq) {
    for (const row of this.list.querySelectorAll("[data-row]")) {
      const isAfter = seq > 0 && Number(row.dataset.seq) > seq;
      if (isAfter !== row.hasAttribute("data-after")) row.toggleAttribute("data-after", isAfter);
    }
  }

  rove(row) {
    for (const other of this.list.querySelectorAll('[data-row][tabindex="0"]')) other.tabIndex = -1;
    row.tabIndex = 0;
    if (this.list.contains(document.activeElement)) row.focus({ preventScroll: true });
  }

  /** Ask for the window of rows in which the event lies; whether there is one to ask for. */
  fetch(seq) {
    const windows = [...this.list.querySelectorAll('[id^="window-"][aria-busy="true"]')];
    const found = windows.find((each) => seq >= Number(each.dataset.first) && seq <= Number(each.dataset.end));
    if (found) found.scrollIntoView({ block: "nearest" }); // coming into view fetches it
    return Boolean(found);
  }

  parentOf(row) {
    return document.getElementById(`row-${row.dataset.parent ?? row.dataset.of}`);
  }

  /** The row of an agent that was called, by the address of its detail. */
  besideOf(address) {
    return [...this.list.querySelectorAll("[data-beside]")].find((row) => row.dataset.beside === address);
  }

  /** What stands under the call of an agent; null for any other row. */
  nestedOf(row) {
    return document.getElementById(`nested-${row.dataset.seq}`);
  }

  childrenOf(row) {
    return this.list.querySelectorAll(`[data-parent="${row.dataset.seq}"]`);
  }

  fold(row, opens = row.getAttribute("aria-expanded") !== "true") {
    row.setAttribute("aria-expanded", String(opens));
    row.dataset.touched = "";
    this.showChildren(row);
  }

  /** What stands under the row is there as far as it and what it stands under is unfolded. */
  showChildren(row) {
    const isOpen = !row.hidden && row.getAttribute("aria-expanded") === "true";
    for (const child of this.childrenOf(row)) {
      child.hidden = !isOpen;
      if (child.hasAttribute("aria-expanded")) this.showChildren(child);
    }
    const nested = this.nestedOf(row);
    if (isOpen && nested && !nested.hasAttribute("data-loaded")) htmx.trigger(nested, "unfold");
  }

  unfold(row) {
    if (row?.getAttribute("aria-expanded") === "false") this.fold(row, true);
  }

  /** The next visible row in a direction; null at the end or where rows are still to come. */
  neighbour(row, step) {
    const shown = [...this.list.querySelectorAll("[data-row]:not([hidden], [hidden] *)")];
    if (!row) return step > 0 ? shown[0] : shown.at(-1);
    const next = shown[shown.indexOf(row) + step];
    const edge = row.closest('[role="rowgroup"]');
    const beside = step > 0 ? edge.nextElementSibling : edge.previousElementSibling;
    if ((!next || next.closest('[role="rowgroup"]') !== edge) && beside?.ariaBusy === "true") {
      beside.scrollIntoView({ block: "nearest" });
      return null;
    }
    return next ?? null;
  }
}
