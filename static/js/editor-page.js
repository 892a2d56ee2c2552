// Without it: the YAML is a form with Save draft, each section of the form has its own button, and the server draws the rest.
import { addPart, endOfFields } from "./editor-adding.js";
import { conflictDialog } from "./editor-conflict.js";
import { sayIn, sayInStep } from "./editor-note.js";
import { swapParts } from "./editor-parts.js";
import { publishing } from "./editor-publish.js";
import { Renames } from "./editor-renames.js";
import { Saving } from "./editor-saving.js";
import { ask, sentenceOf } from "./editor-server.js";
import { setUpViews } from "./editor-views.js";

const CHECK_AFTER_MS = 600;
const FIELD_AFTER_MS = 400;
const TRIES = 5; // of a form edit whose answer came after the YAML had changed again

class AgentEditor extends HTMLElement {
  connectedCallback() {
    this.yaml = this.querySelector("yaml-editor");
    this.saving = new Saving(this);
    this.renames = new Renames();
    this.work = Promise.resolve();
    this.fieldTimers = new WeakMap();
    this.yaml.addEventListener("input", () => this.typed());
    for (const type of ["input", "change"]) this.addEventListener(type, (event) => this.edited(event));
    endOfFields(this);
    this.addEventListener("submit", (event) => this.submitted(event));
    this.addEventListener("focusout", () => this.saving.isUnsaved && this.saving.now());
    this.onLeave = () => this.saving.leave();
    this.onClose = (event) => this.saving.isAtRisk && event.preventDefault();
    addEventListener("pagehide", this.onLeave);
    addEventListener("beforeunload", this.onClose);
    conflictDialog(this);
    publishing(this);
    setUpViews(this);
    this.check();
  }

  disconnectedCallback() {
    removeEventListener("pagehide", this.onLeave);
    removeEventListener("beforeunload", this.onClose);
    clearTimeout(this.checkTimer);
  }

  get text() {
    return this.yaml.value ?? this.querySelector("#yaml-text").value;
  }

  typed() {
    clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => this.check(), CHECK_AFTER_MS);
    this.saving.soon();
  }

  async check() {
    const text = this.text;
    const reply = await ask(this.dataset.checkUrl, { text });
    if (reply.status === 200) this.show(reply.answer, text);
  }

  /** Draws an answer about a text, unless that text is not there any more. */
  show(answer, about) {
    if (about !== this.text) return;
    this.yaml.showProblems?.(answer.problems);
    swapParts(answer.parts);
    const locked = document.getElementById("locked");
    locked.hidden = !answer.locked;
    locked.querySelector(".c-note__text").textContent = answer.locked;
    for (const section of this.querySelectorAll("[data-section]")) section.inert = Boolean(answer.locked);
    sayInStep(answer.locked);
    this.dispatchEvent(new CustomEvent("shown", { detail: answer }));
  }

  edited({ type, target }) {
    const name = target.name ?? "";
    if (!target.closest("[data-section]") || !/^(field|tool|agent|trigger|rename_\w+):/.test(name)) return;
    const value = target.type === "checkbox" ? String(target.checked) : target.value;
    const posted = this.renames.following(name, value);
    clearTimeout(this.fieldTimers.get(target));
    if (type === "change") this.queue(posted);
    else if (!name.startsWith("rename_")) this.fieldTimers.set(target, setTimeout(() => this.queue(posted), FIELD_AFTER_MS));
  }

  submitted(event) {
    const { target, submitter } = event;
    if (target.matches("[data-section]")) {
      event.preventDefault();
      const source = submitter?.dataset.adds && document.getElementById(submitter.dataset.adds);
      if (source) addPart(this, source);
      else if (submitter?.name) this.queue(() => ({ [submitter.name]: submitter.value }));
    } else if (target.id === "draft") {
      event.preventDefault();
      if (submitter?.formAction && submitter.hasAttribute("formaction")) this.tryIt(submitter);
      else this.saving.now();
    }
  }

  // One edit after the other, each on the text that the one before it left; `fields` gives what is then to be posted.
  queue(fields) {
    this.work = this.work.then(() => this.splice(fields()));
    return this.work;
  }

  async splice(fields) {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const text = this.text;
      const reply = await ask(this.dataset.fieldsUrl, { ...fields, text });
      if (reply.status !== 200) {
        this.sayNote(sentenceOf(reply));
        return;
      }
      if (text !== this.text) continue;
      this.renames.note(fields);
      this.sayNote("");
      this.yaml.replaceText(reply.answer.text);
      this.show(reply.answer, this.text);
      this.saving.soon();
      return;
    }
  }

  async tryIt(button) {
    button.setAttribute("aria-busy", "true");
    const reply = await ask(button.formAction, { text: this.text, base: this.saving.number, draft: "1" });
    button.removeAttribute("aria-busy");
    if (reply.status === 200) {
      this.saving.saved = this.text;
      location.assign(reply.answer.url);
    } else {
      this.saving.refuse(reply);
    }
  }

  showConflict(answer) {
    this.dispatchEvent(new CustomEvent("conflict", { detail: answer }));
  }

  /** A note over the editor; without words it goes away. */
  sayNote(words, ...actions) {
    sayIn(document.getElementById("said"), words, ...actions);
  }
}

customElements.define("agent-editor", AgentEditor);
