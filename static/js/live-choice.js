// Without it: rows are ticked one by one, and what to do with them stands under the search. <live-choice> counts what is
// chosen, shows what can be done with it in place of the search, and keeps it when the table is drawn anew.
class LiveChoice extends HTMLElement {
  connectedCallback() {
    this.chosen = new Set();
    this.onChange = ({ target }) => this.changed(target);
    this.onDrawn = () => this.draw();
    document.addEventListener("change", this.onChange);
    document.addEventListener("drawn", this.onDrawn);
    for (const box of this.boxes) if (box.checked) this.chosen.add(box.value);
    this.draw();
  }

  disconnectedCallback() {
    document.removeEventListener("change", this.onChange);
    document.removeEventListener("drawn", this.onDrawn);
  }

  get form() {
    return this.querySelector("form[method=post]");
  }

  get boxes() {
    return [...this.form.elements].filter((one) => one.name === "chosen");
  }

  changed(box) {
    if (box.matches("[data-all]") && this.contains(box)) {
      this.chosen = new Set(box.checked ? this.boxes.map((one) => one.value) : []);
    } else if (box.name === "chosen" && box.form === this.form) {
      if (box.checked) this.chosen.add(box.value);
      else this.chosen.delete(box.value);
    } else {
      return;
    }
    this.draw();
  }

  // What is not in the table any more is chosen no longer.
  draw() {
    const there = this.boxes;
    for (const id of this.chosen) if (!there.some((box) => box.value === id)) this.chosen.delete(id);
    for (const box of there) {
      box.checked = this.chosen.has(box.value);
      box.closest("tr").toggleAttribute("data-chosen", box.checked);
    }
    const count = this.chosen.size;
    this.toggleAttribute("data-some", count > 0);
    const all = this.querySelector("[data-all]");
    all.checked = count > 0 && count === there.length;
    all.indeterminate = count > 0 && count < there.length;
    this.querySelector("[data-count]").textContent = count ? `${count} chosen` : "";
  }
}

customElements.define("live-choice", LiveChoice);
