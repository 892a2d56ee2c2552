// Without it: the page shows the rollout as it was when it was loaded. Fetches what changed when the session says so.
import { showClocks } from "./trajectory-clock.js";

const AFTER_MS = 250; // what happens together is fetched together
const LIVE = new Set(["queued", "running"]);
const LIVE_MS = 2000; // bars that have not ended grow

class TrajectoryLive extends HTMLElement {
  connectedCallback() {
    this.nestedTimers = {};
    this.stream = this.querySelector("session-stream");
    this.stream.addEventListener("frame", (event) => this.hear(event.detail));
    this.stream.addEventListener("connection", (event) => this.tell(event.detail.state));
    this.beat = setInterval(() => LIVE.has(this.lifecycle) && !document.hidden && this.soon(), LIVE_MS);
  }

  disconnectedCallback() {
    clearInterval(this.beat);
    clearTimeout(this.timer);
  }

  get page() {
    return document.querySelector("trajectory-page");
  }

  get lifecycle() {
    return document.getElementById("rollout-status").dataset.lifecycle;
  }

  hear(frame) {
    const isOurs = frame.data?.rollout === this.dataset.rollout;
    if (isOurs && ["event", "status", "pending"].includes(frame.event)) this.soon();
    else if (frame.event === "event") this.nestedSoon(frame.data.rollout);
  }

  // What an agent that was called does shows in its rows, if they are unfolded; else when they are.
  nestedSoon(rollout) {
    for (const nested of document.querySelectorAll(`.c-steps__nested[data-rollout="${CSS.escape(rollout)}"]`)) {
      if (nested.hidden) nested.removeAttribute("data-loaded");
      else this.nestedTimers[nested.id] ??= setTimeout(() => this.growNested(nested.id), AFTER_MS);
    }
  }

  growNested(id) {
    delete this.nestedTimers[id];
    const nested = document.getElementById(id);
    if (nested) htmx.trigger(nested, "unfold");
  }

  tell(state) {
    const words = { lost: "Connection lost, trying again. The agent keeps working.", long: "Still no connection. Reload the page to try anew.", over: "This page is no longer live. Reload it." };
    this.querySelector("[data-connection]").textContent = words[state] ?? "";
    this.toggleAttribute("data-lost", state in words);
  }

  soon() {
    this.timer ??= setTimeout(() => this.grow(), AFTER_MS);
  }

  async grow() {
    const { list } = this.page.rows;
    const { query, last, gap, length } = list.dataset;
    const asked = `after=${last}&gap=${gap}&lifecycle=${this.lifecycle}`;
    try {
      const answer = await fetch(`${this.page.dataset.base}/growth?${asked}${query ? `&${query}` : ""}`);
      if (answer.status === 200) this.apply(await answer.text(), Number(length));
    } finally {
      this.timer = undefined;
    }
  }

  apply(text, length) {
    const news = new DOMParser().parseFromString(text, "text/html").querySelector("[data-growth]");
    const { list } = this.page.rows;
    if (!news || !list.querySelector("[data-row]")) return location.reload();
    const { length: longer, last, troubles } = news.dataset;
    if (Number(longer) !== length) rescale(list, length / Number(longer));
    for (const holder of news.querySelectorAll("[data-before]")) {
      const [row, nested] = holder.children;
      this.place(row, holder.dataset.before);
      if (nested) this.placeNested(row, nested);
    }
    Object.assign(list.dataset, { length: longer, last, troubles });
    for (const part of news.querySelectorAll("[data-part]")) {
      if (!(part.id === "scrubber" && this.page.scrubber.isInUse)) document.getElementById(part.id)?.replaceWith(part);
    }
    showClocks(document);
    this.page.scrubber.stand(this.page.seq);
    this.page.rows.dim(this.page.seq);
    this.dispatchEvent(new CustomEvent("grown", { bubbles: true }));
  }

  // A row keeps its fold if the reader touched it, and its place; a new one comes after the row before it.
  place(row, before) {
    const old = document.getElementById(row.id);
    const parent = row.dataset.parent && document.getElementById(`row-${row.dataset.parent}`);
    if (parent) row.hidden = parent.getAttribute("aria-expanded") === "false";
    if (old) {
      if (old.hasAttribute("data-touched") || this.page.rows.nestedOf(old)) {
        row.setAttribute("aria-expanded", old.getAttribute("aria-expanded"));
        if (old.hasAttribute("data-touched")) row.dataset.touched = "";
      }
      for (const name of ["aria-selected", "tabindex"]) if (old.hasAttribute(name)) row.setAttribute(name, old.getAttribute(name));
      const hadFocus = old === document.activeElement;
      old.replaceWith(row);
      if (hadFocus) row.focus({ preventScroll: true });
    } else {
      row.dataset.new = "";
      (document.getElementById(`nested-${before}`) ?? document.getElementById(`row-${before}`))?.after(row);
    }
    if (row.hasAttribute("aria-expanded")) this.page.rows.showChildren(row);
  }

  // What stands under a call of an agent, once; its rows come by themselves.
  placeNested(row, nested) {
    const old = this.page.rows.nestedOf(row);
    if (old) return;
    row.after(nested);
    htmx.process(nested);
    this.page.rows.showChildren(row);
  }
}

// The axis became longer: every mark moves to the left by the same share.
function rescale(list, factor) {
  for (const mark of list.querySelectorAll("[data-row] .c-waterfall :is(rect, circle, svg)")) {
    for (const name of ["x", "cx", "width"]) {
      const value = mark.getAttribute(name);
      if (value?.endsWith("%")) mark.setAttribute(name, `${(parseFloat(value) * factor).toFixed(4)}%`);
    }
  }
}

customElements.define("trajectory-live", TrajectoryLive);
