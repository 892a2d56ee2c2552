// Without it: the figures are as old as the page. <live-rows> round the list: fetches it now and then, and draws
// what changed in the rows that stand there. No row moves or comes under the pointer.
import { LooksAgain } from "./looks-again.js";

const CELLS = ["version", "last", "well", "time", "cost", "active"];

class LiveRows extends LooksAgain {
  static everyMs = 10_000;

  draw(fresh) {
    swap(this.querySelector(".c-figures"), fresh.querySelector(".c-figures"));
    for (const row of this.querySelectorAll("tr[data-row]")) {
      const now = fresh.getElementById(row.id);
      for (const name of now ? CELLS : []) swap(cell(row, name), cell(now, name));
    }
  }
}

const cell = (row, name) => row.querySelector(`td[data-col="${name}"]`);

// Times are drawn by the browser, so texts of <relative-time> do not count as a change.
function swap(old, fresh) {
  if (!old || !fresh || old.contains(document.activeElement) || shape(old) === shape(fresh)) return;
  old.replaceWith(document.importNode(fresh, true));
}

function shape(element) {
  const copy = element.cloneNode(true);
  for (const time of copy.querySelectorAll("relative-time")) time.textContent = "";
  for (const one of [copy, ...copy.querySelectorAll("*")]) one.removeAttribute("title");
  return copy.outerHTML;
}

customElements.define("live-rows", LiveRows);
