// Without it: the time as the server wrote it. <relative-time datetime="…" [format="ago"|"moment"]> says "4 m", "2 h ago", "yesterday".
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const all = new Set();

class RelativeTime extends HTMLElement {
  static observedAttributes = ["datetime"];

  connectedCallback() {
    all.add(this);
    this.draw();
  }

  disconnectedCallback() {
    all.delete(this);
  }

  attributeChangedCallback() {
    if (this.isConnected) this.draw();
  }

  draw() {
    const at = new Date(this.getAttribute("datetime"));
    if (Number.isNaN(at.getTime())) return;
    this.title = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
    const format = this.getAttribute("format");
    const words = format === "moment" ? momentOf(at) : wordsFor(at, new Date(), format === "ago" ? " ago" : "");
    if (this.textContent !== words) this.textContent = words;
  }
}

const momentOf = (at) => at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

function wordsFor(at, now, ago) {
  const seconds = (now - at) / 1000;
  if (seconds < MINUTE) return "now";
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} m${ago}`;
  if (at.toDateString() === now.toDateString()) return `${Math.floor(seconds / HOUR)} h${ago}`;
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const days = Math.ceil((midnight - at) / 1000 / DAY);
  if (days === 1) return "yesterday";
  if (days < 7) return `${days} days ago`;
  const year = at.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return at.toLocaleDateString(undefined, { day: "numeric", month: "short", year });
}

setInterval(() => {
  for (const element of all) element.draw();
}, 30_000);

customElements.define("relative-time", RelativeTime);
