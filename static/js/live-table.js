// Without it: the list is as old as the page. <live-table> fetches it now and then; nothing moves under a pointer or the focus.
import { LooksAgain } from "./looks-again.js";

// Round the table: figures, the choices above it, and what the panel says of the rollout beside it.
const AROUND = ["live-counts", "live-all", "live-needs", "live-status", "live-actions", "live-latest-events"];

class LiveTable extends LooksAgain {
  static everyMs = 4000;

  draw(fresh) {
    for (const id of AROUND) swap(document.getElementById(id), fresh.getElementById(id));
    const table = fresh.getElementById(this.id);
    if (!table) return;
    if (this.matches(":hover") || this.contains(document.activeElement)) this.cells(table);
    else this.replaceChildren(...document.importNode(table, true).childNodes);
    this.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
  }

  // The rows that stand there, each cell as it is now; which rows there are stays until nobody points at them.
  cells(table) {
    for (const row of this.querySelectorAll("tr[data-row]")) {
      const now = table.querySelector(`#${CSS.escape(row.id)}`);
      row.toggleAttribute("data-gone", !now);
      [...(now?.cells ?? [])].forEach((cell, index) => {
        if (index && !row.cells[index].isEqualNode(cell)) row.cells[index].replaceWith(document.importNode(cell, true));
      });
    }
  }
}

function swap(old, now) {
  if (!old || !now || old.matches(":hover") || old.contains(document.activeElement)) return;
  old.replaceWith(document.importNode(now, true));
}

customElements.define("live-table", LiveTable);
