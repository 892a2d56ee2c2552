// Without it: the time of day is UTC. <clock-time datetime="…"> says it in the reader's own zone, with the day if not today.
class ClockTime extends HTMLElement {
  connectedCallback() {
    const at = new Date(this.getAttribute("datetime"));
    if (Number.isNaN(at.getTime())) return;
    this.title = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
    const time = at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
    const isToday = at.toDateString() === new Date().toDateString();
    const day = isToday || this.closest(".c-event") ? "" : `${at.toLocaleDateString(undefined, { day: "numeric", month: "short" })}, `;
    const words = day + time;
    if (this.textContent !== words) this.textContent = words;
  }
}

customElements.define("clock-time", ClockTime);

// Without it: nothing. <running-time since="…"> counts the seconds since then, after the first.
const all = new Set();

class RunningTime extends HTMLElement {
  connectedCallback() {
    all.add(this);
    this.draw();
  }

  disconnectedCallback() {
    all.delete(this);
  }

  draw() {
    const seconds = Math.floor((Date.now() - new Date(this.getAttribute("since"))) / 1000);
    const words = seconds < 1 ? "" : seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
    if (this.textContent !== words) this.textContent = words;
  }
}

customElements.define("running-time", RunningTime);
setInterval(() => {
  for (const element of all) element.draw();
}, 1000);
