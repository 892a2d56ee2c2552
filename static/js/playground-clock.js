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
