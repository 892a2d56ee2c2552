// Without it: one scrolls by hand. Stays at the end of what grows if the reader was there; else counts what is new.
const NEAR_PX = 48;

export class Sticky {
  constructor(scroller, content, button = null) {
    this.scroller = scroller;
    this.button = button;
    this.isAtEnd = true;
    this.count = 0;
    scroller.addEventListener("scroll", () => this.look(), { passive: true });
    button?.addEventListener("click", () => this.toEnd());
    const sizes = new ResizeObserver(() => this.follow());
    sizes.observe(scroller);
    if (content !== scroller) sizes.observe(content);
    if (location.hash) this.look();
    else this.toEnd();
  }

  look() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    this.isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    if (this.isAtEnd) this.count = 0;
    this.draw();
  }

  follow() {
    if (this.isAtEnd) this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  /** Something new stands at the end. */
  grew() {
    if (this.isAtEnd) {
      this.follow();
      return;
    }
    this.count += 1;
    this.draw();
  }

  toEnd() {
    this.isAtEnd = true;
    this.count = 0;
    this.follow();
    this.draw();
  }

  draw() {
    if (!this.button) return;
    this.button.hidden = this.isAtEnd || this.count === 0;
    this.button.querySelector("[data-count]").textContent = `${this.count} new`;
  }
}
