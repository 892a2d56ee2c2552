// Without it: a reload shows what is new. Puts what the server rendered in its place: items, rows, what stands around.
import { Sticky } from "./playground-sticky.js";

const TAPE_LENGTH = 60;

export class Parts {
  constructor(talk) {
    this.talk = talk;
    this.end = new Sticky(document.getElementById("conversation-scroll"), talk, document.getElementById("more-below"));
    this.events = document.getElementById("events");
    this.eventsEnd = new Sticky(this.events, this.events);
  }

  event(data, html) {
    if (html.line) this.put(html.line);
    if (html.item) this.put(html.item, { move: data.type === "step.started" });
    else if (html.item_id) document.getElementById(html.item_id)?.remove();
    if (html.asked) this.put(html.asked);
    if (html.group) upsert(this.events, elementOf(html.group));
    if (html.row) this.row(elementOf(html.row));
    if (html.tick) tick(data, elementOf(html.tick));
    this.eventsEnd.follow();
  }

  /** An item of the conversation, in place of the one with its id or at the end. */
  put(markup, { move = false } = {}) {
    const fresh = elementOf(markup);
    const old = document.getElementById(fresh.id);
    document.getElementById("nothing-yet")?.remove();
    if (move) old?.remove();
    if (old && !move) replaceKeeping(old, fresh);
    else this.append(fresh);
    this.end.follow();
  }

  append(element) {
    this.talk.append(element);
    this.end.grew();
  }

  row(fresh) {
    fresh.dataset.new = "";
    const old = document.getElementById(fresh.id);
    if (old) old.replaceWith(fresh);
    else this.events.append(fresh);
  }

  /** How far a tool is, on the badge of its card. */
  progress({ rollout, call_id: call, done, total, note }) {
    const badge = document.getElementById(`call-${rollout}-${call.replace(".", "-")}`)?.querySelector(".c-badge");
    if (!badge) return;
    const share = total ? `${done ?? 0} of ${total}` : (done ?? "running");
    badge.textContent = note ? `${share}, ${note.slice(0, 40)}` : String(share);
  }

  surroundings(html) {
    for (const [id, markup] of Object.entries(html)) {
      const old = document.getElementById(id);
      const fresh = old && elementOf(markup);
      if (!old || old.isEqualNode(fresh)) continue;
      const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
      old.replaceWith(fresh);
      if (focused) fresh.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    }
    this.end.follow();
  }
}

function elementOf(markup) {
  const holder = document.createElement("template");
  holder.innerHTML = markup.trim();
  return holder.content.firstElementChild;
}

function upsert(parent, fresh) {
  const old = document.getElementById(fresh.id);
  if (old) old.replaceWith(fresh);
  else parent.append(fresh);
}

// What was unfolded stays unfolded; a question that somebody answers at this moment stays as it is; so does what was
// said to somebody who came too late.
function replaceKeeping(old, fresh) {
  for (const details of old.querySelectorAll("details[data-keep][open]")) {
    const same = fresh.querySelector(`details[data-keep="${CSS.escape(details.dataset.keep)}"]`);
    if (same) same.open = true;
  }
  for (const form of old.querySelectorAll("form[data-revision]")) {
    const same = fresh.querySelector(`form#${CSS.escape(form.id)}`);
    if (same?.dataset.revision === form.dataset.revision) same.replaceWith(form);
  }
  for (const late of old.querySelectorAll("[data-late]")) {
    fresh.querySelector(`p#${CSS.escape(late.id)}`)?.replaceWith(late);
  }
  old.replaceWith(fresh);
}

function tick(data, mark) {
  const row = document.querySelector(`#rollouts [data-rollout="${CSS.escape(data.rollout)}"]`);
  const tape = row?.querySelector(".c-tape:not(.c-tape--empty)");
  if (!tape || Number(row.dataset.seq) >= data.seq) return;
  row.dataset.seq = data.seq;
  tape.insertBefore(mark, tape.querySelector("[data-live]"));
  const ticks = tape.querySelectorAll("[data-category]");
  if (ticks.length > TAPE_LENGTH) {
    ticks[0].remove();
    tape.dataset.long = "";
  }
}
