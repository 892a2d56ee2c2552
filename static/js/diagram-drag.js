// Without it: moves are added with Enter, or with the fields. A line that is drawn with the pointer from one state to another.
import { middle } from "./diagram-places.js";

const MOVED_PX = 5; // less is a click

export class DragLine {
  constructor(diagram, joined) {
    [this.diagram, this.joined] = [diagram, joined];
    this.svg = diagram.querySelector("svg");
    diagram.addEventListener("pointerdown", (event) => this.begin(event));
    diagram.addEventListener("pointermove", (event) => this.move(event));
    diagram.addEventListener("pointerup", (event) => this.end(event));
    diagram.addEventListener("pointercancel", () => this.drop());
    diagram.addEventListener("keydown", (event) => event.key === "Escape" && this.drop());
    diagram.addEventListener("click", (event) => this.wasDragged && event.stopImmediatePropagation(), true);
  }

  begin({ target, button, clientX, clientY }) {
    const state = target.closest("[data-state]:not([data-kind=missing])");
    this.wasDragged = false;
    if (state && button === 0) this.start = { state, clientX, clientY };
  }

  move(event) {
    if (!this.start) return;
    if (!this.line && Math.hypot(event.clientX - this.start.clientX, event.clientY - this.start.clientY) < MOVED_PX) return;
    if (!this.line) this.draw(event.pointerId);
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    this.line.setAttribute("x2", x);
    this.line.setAttribute("y2", y);
    this.aimAt(this.under(event));
  }

  // Held: the server's next drawing waits until the line is dropped.
  draw(pointer) {
    const from = middle(this.start.state.querySelector("rect"));
    this.line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    this.line.setAttribute("class", "c-diagram__drag");
    this.line.setAttribute("x1", from.x);
    this.line.setAttribute("y1", from.y);
    this.svg.append(this.line);
    this.diagram.setPointerCapture(pointer);
    this.diagram.dataset.held = "";
    this.wasDragged = true;
  }

  end(event) {
    const [from, to] = [this.start?.state, this.line && this.under(event)];
    this.drop();
    if (from && to) this.joined(from.dataset.state, to.dataset.state);
  }

  drop() {
    this.aimAt(null);
    this.line?.remove();
    if (this.line) this.diagram.editor.check();
    delete this.diagram.dataset.held;
    this.line = this.start = null;
  }

  under({ clientX, clientY }) {
    const state = document.elementFromPoint(clientX, clientY)?.closest("state-diagram [data-state]:not([data-kind=missing])");
    return state === this.start?.state ? null : state;
  }

  aimAt(state) {
    for (const one of this.svg.querySelectorAll("[data-aimed]")) one.removeAttribute("data-aimed");
    state?.setAttribute("data-aimed", "");
  }
}
