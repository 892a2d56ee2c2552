// Without it: Import YAML takes a file or a pasted text. <drop-import> round a page: a file dropped anywhere is looked at there.
class DropImport extends HTMLElement {
  connectedCallback() {
    this.abort = new AbortController();
    const { signal } = this.abort;
    document.addEventListener("dragover", (event) => this.over(event), { signal });
    document.addEventListener("dragleave", (event) => event.relatedTarget ?? this.toggleAttribute("data-over", false), { signal });
    document.addEventListener("drop", (event) => this.drop(event), { signal });
  }

  disconnectedCallback() {
    this.abort.abort();
  }

  over(event) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    this.toggleAttribute("data-over", true);
  }

  drop(event) {
    this.toggleAttribute("data-over", false);
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    const form = this.querySelector("form[data-drops]");
    form.elements.file.files = event.dataTransfer.files;
    form.requestSubmit();
  }
}

customElements.define("drop-import", DropImport);
