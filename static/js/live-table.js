// Without it: the list is as old as the page. <live-table> fetches it now and then; nothing moves under a pointer or the focus.
import { LooksAgain } from "./looks-again.js";

class LiveTable extends LooksAgain {
  static everyMs = 4000;

  draw(fresh) {
    const counts = document.getElementById("live-counts");
    const news = fresh.getElementById("live-counts");
    if (counts && news) counts.replaceWith(document.importNode(news, true));
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

customElements.define("live-table", LiveTable);
