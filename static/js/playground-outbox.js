// Without it: a message is a form that reloads the page. Shows own messages at once, keeps them through a lost connection.
import { keepMessages, keptMessages } from "./playground-kept.js";
import { newKey, post, Refusal } from "./playground-server.js";

const TO_TRAY_MS = 400; // an idle agent takes a message sooner; a busy one lets it wait in the tray
const SHOWN_CHARACTERS = 4000;

export class Outbox {
  constructor(form, parts) {
    this.form = form;
    this.parts = parts;
    this.name = `studio.outbox.${form.dataset.session}`;
    this.items = [];
    for (const kept of keptMessages(this.name)) this.add(kept);
    this.flush();
  }

  send(text, mode, files = []) {
    const item = this.add({ key: newKey(), text, mode, files });
    this.parts.end.toEnd();
    this.keep();
    this.post(item);
  }

  add({ key, text, mode, files = [] }) {
    const element = document.getElementById("own-message").content.firstElementChild.cloneNode(true);
    const names = files.map((file) => file.name).join(", ");
    element.querySelector(".c-message__text").textContent = headOf([text, names].filter(Boolean).join("\n"));
    document.getElementById("nothing-yet")?.remove();
    this.parts.append(element);
    const item = { key, text, mode, files, element, state: "" };
    this.items.push(item);
    return item;
  }

  flush() {
    for (const item of this.items) {
      if (item.state !== "sending" && item.state !== "unsent" && !item.id) this.post(item);
    }
  }

  async post(item) {
    this.show(item, "sending", "sending");
    try {
      const { id, state } = await post(this.form.action, fieldsOf(item), item.key);
      item.id = id;
      this.keep();
      if (state !== "pending" || isOnPage(id)) this.remove(item);
      else this.wait(item);
    } catch (error) {
      if (error instanceof Refusal) this.fail(item, error.message);
      else this.show(item, "waiting", "kept here, sent when the server is back");
    }
  }

  wait(item) {
    this.show(item, "waiting", "waiting its turn");
    setTimeout(() => {
      if (isOnPage(item.id)) this.remove(item);
    }, TO_TRAY_MS);
  }

  fail(item, sentence) {
    this.show(item, "unsent", "not sent");
    const head = item.element.querySelector(".c-message__head");
    head.append(button("Send again", () => this.post(item)), button("Edit", () => this.takeBack(item)));
    const why = document.createElement("p");
    why.className = "c-message__meta";
    why.role = "alert";
    why.textContent = sentence;
    item.element.querySelector(".c-message__body").append(why);
  }

  /** Back into the field, in front of what stands there. */
  takeBack(item) {
    const field = this.form.elements.content;
    field.value = [item.text, field.value].filter(Boolean).join("\n");
    field.dispatchEvent(new Event("input"));
    field.focus();
    this.remove(item);
  }

  show(item, state, words) {
    item.state = state;
    item.element.querySelector("article").dataset.state = state;
    const mark = item.element.querySelector(".c-message__mark");
    mark.textContent = words;
    mark.classList.toggle("c-message__mark--unsent", state === "unsent");
    for (const extra of item.element.querySelectorAll(".c-message__head button, .c-message__body p")) extra.remove();
  }

  /** An event is recorded: if it is one of ours, the real message stands there now. */
  recorded({ id, type, payload }) {
    const isSaid = ["user.input", "user.interrupt", "supervisor.instruction"].includes(type);
    const item = isSaid && this.items.find((one) => (one.id ? one.id === id : one.text === payload.content));
    if (item) this.remove(item);
  }

  /** It left the queue: recorded, taken back, or turned into an interrupt. */
  left(id) {
    const item = this.items.find((one) => one.id === id);
    if (item) this.remove(item);
  }

  remove(item) {
    item.element.remove();
    this.items = this.items.filter((other) => other !== item);
    this.keep();
  }

  keep() {
    const kept = this.items.filter((item) => !item.id && item.text).map(({ key, text, mode }) => ({ key, text, mode }));
    keepMessages(this.name, kept);
  }
}

function fieldsOf({ text, mode, files }) {
  const fields = new FormData();
  fields.append("content", text);
  fields.append("mode", mode);
  for (const file of files) fields.append("files", file);
  return fields;
}

function button(words, press) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "c-button c-button--ghost c-button--sm";
  element.textContent = words;
  element.addEventListener("click", press);
  return element;
}

// A browser takes minutes to lay out a megabyte; the recorded message is shortened as well.
function headOf(text) {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function isOnPage(id) {
  return document.querySelector(`[data-event="${CSS.escape(id)}"]`) !== null;
}
