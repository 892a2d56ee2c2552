// Without it: the form posts. Enter sends or queues, Ctrl+Enter interrupts, Esc twice or Ctrl+. stops; drafts are kept.
import { Files } from "./playground-files.js";
import { post, showProblem } from "./playground-server.js";

const TWICE_MS = 700;

export class Composer {
  constructor(form, outbox) {
    this.form = form;
    this.outbox = outbox;
    this.text = form.elements.content;
    this.files = new Files(form);
    this.name = `studio.draft.${form.dataset.session}`;
    this.escapedAt = 0;
    this.text.value ||= this.kept();
    form.addEventListener("submit", (event) => this.submit(event));
    this.text.addEventListener("keydown", (event) => this.key(event));
    this.text.addEventListener("input", () => this.keep(this.text.value));
    document.addEventListener("keydown", (event) => this.escape(event));
    if (matchMedia("(pointer: fine)").matches) this.text.focus(); // on a phone that would open its keyboard
    this.refresh();
  }

  get isBusy() {
    return document.getElementById("session-status")?.dataset.busy === "yes";
  }

  get stopButton() {
    return this.form.querySelector("[data-stops]");
  }

  /** The state follows what the server says; "Stopping" ends when nothing runs any more. */
  refresh() {
    const state = this.isOffline ? "offline" : this.isBusy ? "busy" : "idle";
    if (this.form.dataset.state !== state) this.form.dataset.state = state;
    const send = this.form.querySelector("[data-sends]");
    const label = this.isBusy ? "Queue" : "Send";
    if (send.ariaLabel !== label) send.ariaLabel = send.title = label;
    if (!this.isBusy) this.stopping(false);
  }

  connection(state) {
    this.isOffline = state === "lost" || state === "long";
    this.refresh();
  }

  submit(event) {
    event.preventDefault();
    if (event.submitter?.matches("[data-stops]")) this.stop();
    else this.send("message");
  }

  send(mode) {
    const text = this.text.value;
    if (!text.trim() && !this.files.chosen.length) return;
    this.text.value = "";
    this.keep("");
    showProblem("");
    this.outbox.send(text, mode, this.files.take());
    this.text.focus();
  }

  key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.send((event.ctrlKey || event.metaKey) && this.isBusy ? "interrupt" : "message");
  }

  escape(event) {
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog:modal, [data-drawer='open']")) return;
    const isSecond = performance.now() - this.escapedAt < TWICE_MS;
    this.escapedAt = isSecond ? 0 : performance.now();
    if (isSecond && this.isBusy && this.stopButton) this.stop();
  }

  async stop() {
    if (!this.stopButton || this.stopButton.ariaBusy === "true") return;
    this.stopping(true);
    try {
      await post(this.form.dataset.stop);
    } catch (error) {
      this.stopping(false);
      showProblem(error.message);
    }
  }

  stopping(isStopping) {
    const button = this.stopButton;
    if (!button || (button.ariaBusy === "true") === isStopping) return;
    button.ariaBusy = String(isStopping);
    button.querySelector("span").textContent = isStopping ? "Stopping" : "Stop";
  }

  keep(text) {
    try {
      if (text) localStorage.setItem(this.name, text);
      else localStorage.removeItem(this.name);
    } catch {
      // Storage is refused or full: the draft lasts as long as the page.
    }
  }

  kept() {
    try {
      return localStorage.getItem(this.name) ?? "";
    } catch {
      return "";
    }
  }
}
