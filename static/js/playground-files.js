// Without it: a file field in the form. Files are chosen, pasted or dropped on the composer, and go with the next message.
const MOST = 5;

export class Files {
  constructor(form) {
    this.form = form;
    this.field = form.elements.files;
    this.list = form.querySelector("[data-files]");
    this.chosen = [];
    if (!this.field) return;
    this.field.addEventListener("change", () => {
      this.add(this.field.files);
      this.field.value = "";
    });
    form.elements.content.addEventListener("paste", (event) => {
      if (!event.clipboardData?.files.length) return;
      event.preventDefault();
      this.add(event.clipboardData.files);
    });
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      this.add(event.dataTransfer.files);
    });
  }

  add(files) {
    this.chosen = [...this.chosen, ...files].slice(0, MOST);
    this.show();
  }

  /** What was chosen, which is not chosen any more. */
  take() {
    const taken = this.chosen;
    this.chosen = [];
    if (this.list) this.show();
    return taken;
  }

  show() {
    this.list.replaceChildren(...this.chosen.map((file) => this.chip(file)));
  }

  chip(file) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "c-button c-button--sm";
    button.textContent = `${file.name} ×`;
    button.ariaLabel = `Remove ${file.name}`;
    button.addEventListener("click", () => {
      this.chosen = this.chosen.filter((other) => other !== file);
      this.show();
    });
    item.append(button);
    return item;
  }
}
