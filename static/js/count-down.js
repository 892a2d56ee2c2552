// Without it: the moment as the server wrote it. <count-down datetime="…"> shows what is left; the server decides.
class CountDown extends HTMLElement {
  connectedCallback() {
    this.draw();
    this.timer = setInterval(() => this.draw(), 1000);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }

  draw() {
    const left = Math.max(0, Math.round((new Date(this.getAttribute("datetime")) - Date.now()) / 1000));
    if (Number.isNaN(left)) return;
    const two = (number) => String(number).padStart(2, "0");
    const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
    this.textContent = hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${two(minutes)}:${two(seconds)}`;
    const whole = Number(this.getAttribute("seconds"));
    this.closest(".c-due")?.toggleAttribute("data-near", whole > 0 && left < whole * 0.2);
  }
}

customElements.define("count-down", CountDown);
