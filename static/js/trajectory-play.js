// Without it: one steps through the events by hand. <trajectory-play> holds a button that walks on, one event at a time.
const EVERY_MS = 700;

class TrajectoryPlay extends HTMLElement {
  connectedCallback() {
    this.page = document.querySelector("trajectory-page");
    this.addEventListener("click", this);
    this.onStand = (event) => event.detail.seq !== this.own && this.stop();
    this.page?.addEventListener("stand", this.onStand);
  }

  disconnectedCallback() {
    this.page?.removeEventListener("stand", this.onStand);
    clearInterval(this.timer);
  }

  get button() {
    return this.querySelector("button");
  }

  handleEvent() {
    if (this.timer) this.stop();
    else this.start();
  }

  start() {
    this.page ??= document.querySelector("trajectory-page");
    const { seq, rows } = this.page;
    this.button.setAttribute("aria-pressed", "true");
    this.timer = setInterval(() => this.step(), EVERY_MS);
    this.walk(seq && seq < rows.last ? seq + 1 : 1);
  }

  step() {
    const { seq, rows } = this.page;
    if (seq && seq < rows.last) this.walk(seq + 1);
    else this.stop();
  }

  // Standing somewhere else by hand ends the walk.
  walk(seq) {
    this.own = seq;
    this.page.choose(seq);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.button.setAttribute("aria-pressed", "false");
  }
}

customElements.define("trajectory-play", TrajectoryPlay);
