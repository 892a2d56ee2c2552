// Without it: one scrolls. <trajectory-follow> holds a button: while it is pressed, the newest event stays in view.
class TrajectoryFollow extends HTMLElement {
  connectedCallback() {
    this.page = document.querySelector("trajectory-page");
    this.onGrown = () => this.isOn && this.scroll();
    this.onStand = (event) => event.detail.seq && this.set(false);
    this.addEventListener("click", this);
    document.addEventListener("grown", this.onGrown);
    this.page.addEventListener("stand", this.onStand);
  }

  disconnectedCallback() {
    document.removeEventListener("grown", this.onGrown);
    this.page.removeEventListener("stand", this.onStand);
  }

  get button() {
    return this.querySelector("button");
  }

  get isOn() {
    return this.button.getAttribute("aria-pressed") === "true";
  }

  handleEvent() {
    this.set(!this.isOn);
    if (!this.isOn) return;
    if (this.page.seq) this.page.choose(0);
    this.scroll();
  }

  set(isOn) {
    this.button.setAttribute("aria-pressed", String(isOn));
  }

  scroll() {
    const frame = document.getElementById("trajectory-scroll");
    frame.scrollTop = frame.scrollHeight;
  }
}

customElements.define("trajectory-follow", TrajectoryFollow);
