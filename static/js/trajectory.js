// Without it: rows are links to the same page at that event; tabs, chips and search are links and forms.
import "./session-stream.js";
import "./trajectory-scrubber.js";
import "./trajectory-live.js";
import "./trajectory-follow.js";
import "./trajectory-play.js";
import { showClocks } from "./trajectory-clock.js";
import { tidy } from "./trajectory-filter.js";
import { TrajectoryRows } from "./trajectory-rows.js";
import { TrajectoryKeys } from "./trajectory-keys.js";

const DETAIL_AFTER_MS = 120; // so that holding J down asks for the last event only

class TrajectoryPage extends HTMLElement {
  connectedCallback() {
    this.rows = new TrajectoryRows(this);
    this.keys = new TrajectoryKeys(this);
    const asked = Number(new URLSearchParams(location.search).get("e"));
    this.beside = "";
    this.seq = asked && asked <= this.rows.last ? asked : 0;
    this.onClick = (event) => this.press(event);
    this.onChoose = (event) => this.choose(event.detail.seq);
    this.onSwap = (event) => this.swapped(event);
    document.addEventListener("click", this.onClick);
    document.addEventListener("choose", this.onChoose);
    document.addEventListener("htmx:afterSettle", this.onSwap);
    this.addEventListener("htmx:configRequest", tidy);
    showClocks(document);
    this.rows.select(this.seq);
  }

  disconnectedCallback() {
    document.removeEventListener("click", this.onClick);
    document.removeEventListener("choose", this.onChoose);
    document.removeEventListener("htmx:afterSettle", this.onSwap);
    this.keys.stop();
    clearTimeout(this.timer);
  }

  get detail() {
    return document.getElementById("detail");
  }

  get scrubber() {
    return document.getElementById("scrubber");
  }

  get tab() {
    return this.detail.querySelector("[data-tab]")?.dataset.tab ?? "overview";
  }

  /** The address of the page that stands at this event (0 = now). */
  address(seq, tab = this.tab) {
    const parts = [this.rows.list.dataset.query, seq ? `e=${seq}` : "", seq && tab !== "overview" ? `tab=${tab}` : ""];
    const query = parts.filter(Boolean).join("&");
    return this.dataset.base + (query ? `?${query}` : "");
  }

  press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const target = event.target;
    const fold = target.closest(".c-step__fold");
    const row = target.closest("[data-row]");
    const travel = target.closest("[data-travel]");
    const link = target.closest("[data-choose]");
    if (target.closest("[data-leaves]")) return;
    if (target.closest("[data-unfolds]")) this.rows.fold(row, true);
    else if (fold?.closest("[aria-expanded]")) this.rows.fold(row);
    else if (travel) this.travel(travel);
    else if (link) this.choose(Number(link.dataset.choose));
    else if (row && this.contains(row)) this.chooseRow(row, { opens: true });
    else return;
    event.preventDefault();
  }

  travel(link) {
    if (link.hasAttribute("data-drawer-closes") && this.isNarrow) {
      delete this.detail.dataset.drawer;
      this.rows.selected?.focus();
      return;
    }
    const by = link.dataset.travel;
    if (by === "now") this.choose(0);
    else this.choose(Math.max(1, Math.min(this.rows.last, (this.seq || this.rows.last) + Number(by))));
  }

  get isNarrow() {
    return matchMedia("(max-width: 1180px)").matches;
  }

  /** Stand on this row: at its event; or, for a row of an agent that was called, where one stood, and read it. */
  chooseRow(row, { opens = false } = {}) {
    if (!row.dataset.beside) {
      this.choose(Number(row.dataset.seq), { opens });
      return;
    }
    this.beside = row.dataset.beside;
    this.rows.mark(row);
    this.loadSoon({ opens });
  }

  /** Stand at this event: everything after it is dimmed, and the pane tells of it. 0 = now. */
  choose(seq, { opens = false } = {}) {
    this.seq = seq;
    this.beside = "";
    this.rows.select(seq);
    this.scrubber.stand(seq);
    document.querySelector('#trajectory-filter [name="e"]').value = seq || "";
    history.replaceState(history.state, "", this.address(seq));
    this.dispatchEvent(new CustomEvent("stand", { detail: { seq } }));
    this.loadSoon({ opens });
  }

  loadSoon({ opens }) {
    if (opens && this.isNarrow) this.detail.dataset.drawer = "open";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), DETAIL_AFTER_MS);
  }

  async load() {
    const { seq, beside } = this;
    const address = beside ? `${beside}&tab=${this.tab}` : this.address(seq);
    await htmx.ajax("GET", address, { target: "#detail", swap: "innerHTML", source: this.detail });
    if (seq !== this.seq || beside !== this.beside) this.load();
    else if (this.detail.dataset.drawer && this.isNarrow) this.detail.focus({ preventScroll: true });
  }

  swapped(event) {
    showClocks(event.target);
    if (event.target.id === "detail") this.scrubber.tell(this.detail.querySelector("[data-said]"));
    const nested = event.target.closest(".c-steps__nested");
    if (nested) {
      nested.setAttribute("data-loaded", "");
      this.rows.dim(this.seq);
      if (this.beside) this.rows.mark(this.rows.besideOf(this.beside) ?? this.rows.selected, { scrolls: false });
    } else if (event.target.closest("#trajectory-list") || event.target.id === "trajectory-list") {
      this.rows.select(this.seq, { scrolls: event.target.id !== "trajectory-list" });
    }
  }
}

customElements.define("trajectory-page", TrajectoryPage);
