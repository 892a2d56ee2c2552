// Without it: the two arrows beside the tape are links to the event before and after.
import { showClocks } from "./trajectory-clock.js";

const LEAP = 10;
const grouped = (number) => number.toLocaleString("en");

class TrajectoryScrubber extends HTMLElement {
  connectedCallback() {
    for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel", "keydown"]) this.addEventListener(name, this);
  }

  get track() {
    return this.querySelector('[role="slider"]');
  }

  get last() {
    return Number(this.dataset.last);
  }

  get head() {
    return Number(this.dataset.head);
  }

  get isInUse() {
    return Boolean(this.isDragging || this.querySelector('trajectory-play [aria-pressed="true"]'));
  }

  handleEvent(event) {
    if (event.type === "keydown") this.key(event);
    else if (event.type === "pointerdown" && !event.button && event.target.closest('[role="slider"]')) {
      this.isDragging = true;
      this.track.setPointerCapture(event.pointerId);
      this.choose(this.seqAt(event.clientX));
    } else if (event.type === "pointermove" && this.isDragging) this.choose(this.seqAt(event.clientX));
    else if (event.type !== "pointermove") this.isDragging = false;
  }

  key(event) {
    if (event.target !== this.track || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = {
      ArrowRight: this.head + 1,
      ArrowUp: this.head + 1,
      ArrowLeft: this.head - 1,
      ArrowDown: this.head - 1,
      PageUp: this.head + LEAP,
      PageDown: this.head - LEAP,
      Home: 1,
      End: this.last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.choose(Math.max(1, Math.min(this.last, to)));
  }

  seqAt(x) {
    const box = this.track.getBoundingClientRect();
    return Math.max(1, Math.min(this.last, Math.ceil(((x - box.left) / box.width) * this.last)));
  }

  choose(seq) {
    if (seq === this.head && !this.hasAttribute("data-now")) return;
    this.dispatchEvent(new CustomEvent("choose", { detail: { seq }, bubbles: true }));
  }

  /** Put the knob at an event (0 = now), and dim what lies after it. */
  stand(seq) {
    const head = seq || this.last;
    this.dataset.head = head;
    this.toggleAttribute("data-now", !seq || seq === this.last);
    this.querySelector(".c-scrubber__place").setAttribute("x", `${(100 * (head - 0.5)) / this.last}%`);
    for (const tick of this.querySelectorAll("rect[data-seq]")) {
      tick.toggleAttribute("data-after", Number(tick.dataset.seq) > head);
    }
    this.track.setAttribute("aria-valuenow", head);
    this.track.setAttribute("aria-valuetext", `Event ${head} of ${this.last}`);
    this.querySelector(".c-scrubber__now [data-said]").textContent = `Event ${grouped(head)} of ${grouped(this.last)}`;
  }

  /** What the server says of the event: its sentence and its time. */
  tell(said) {
    if (!said) return;
    this.track.setAttribute("aria-valuetext", said.dataset.said);
    const time = this.querySelector("time");
    time.dataset.clock = said.dataset.at;
    showClocks(this);
  }
}

customElements.define("trajectory-scrubber", TrajectoryScrubber);
