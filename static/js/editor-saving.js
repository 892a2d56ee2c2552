// Without it: the Save draft button posts the text. Saves five seconds after a change and on leaving; tells of conflicts.
import { ask, sentenceOf } from "./editor-server.js";

const SAVE_AFTER_MS = 5000;
const KEEPALIVE_BYTES = 60_000; // browsers send no more while a page closes

export class Saving {
  constructor(editor) {
    this.editor = editor;
    this.number = Number(editor.dataset.base);
    this.saved = editor.text;
    this.timer = 0;
    this.isHeld = false; // a conflict waits for the author's choice
    this.running = Promise.resolve(true);
  }

  get isUnsaved() {
    return this.editor.text !== this.saved;
  }

  /** Whether leaving now would lose something that a last save cannot carry. */
  get isAtRisk() {
    return this.isUnsaved && (this.isHeld || this.editor.text.length > KEEPALIVE_BYTES);
  }

  soon() {
    clearTimeout(this.timer);
    this.say(this.isUnsaved ? "not saved yet" : "");
    this.timer = setTimeout(() => this.now(), SAVE_AFTER_MS);
  }

  /** Saves what is not saved; true when all is. One save at a time. */
  now() {
    clearTimeout(this.timer);
    this.running = this.running.then(() => this.#save());
    return this.running;
  }

  async #save() {
    if (!this.isUnsaved) return true;
    if (this.isHeld) return false;
    const text = this.editor.text;
    this.say("saving");
    const reply = await ask(this.editor.dataset.draftUrl, { text, base: this.number });
    if (reply.status === 200) {
      this.took(text, reply.answer.number);
      this.editor.show(reply.answer, text);
      this.editor.sayNote("");
      return true;
    }
    this.refuse(reply);
    return false;
  }

  /** The server has this text under this number. */
  took(text, number) {
    [this.saved, this.number, this.isHeld] = [text, number, false];
    for (const field of document.querySelectorAll('input[name="base"]')) field.value = number;
    this.say(this.isUnsaved ? "not saved yet" : `saved ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false })}`);
  }

  refuse(reply) {
    this.say("not saved");
    if (reply.status === 409 && reply.answer?.stored !== undefined) {
      this.isHeld = true;
      this.editor.showConflict(reply.answer);
    } else {
      this.editor.sayNote(sentenceOf(reply));
    }
    if (reply.status === 0) this.timer = setTimeout(() => this.now(), SAVE_AFTER_MS);
  }

  /** The page goes away: a last save that outlives it. */
  leave() {
    if (!this.isUnsaved || this.editor.text.length > KEEPALIVE_BYTES) return;
    ask(this.editor.dataset.draftUrl, { text: this.editor.text, base: this.number }, { leaving: true });
  }

  say(words) {
    const place = document.getElementById("saved");
    if (place) place.textContent = words;
  }
}
