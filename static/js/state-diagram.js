// Without it: the diagram is a picture, and the fields below it do everything. Moves are drawn, chosen and removed in it.
import { DragLine } from "./diagram-drag.js";
import { labelled, nearest } from "./diagram-places.js";
import { undo, withUndo } from "./editor-undo.js";

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

// What outlives the element: the server draws it anew after each edit.
const kept = { chosen: "", from: "", home: "" };

class StateDiagram extends HTMLElement {
  connectedCallback() {
    this.editor = this.closest("agent-editor");
    this.svg = this.querySelector("svg");
    if (!this.editor || !this.svg) return;
    labelled(this.svg);
    new DragLine(this, (from, to) => this.add(from, to));
    this.addEventListener("click", ({ target }) => this.choose(target.closest("[data-key]")));
    this.addEventListener("keydown", (event) => this.pressed(event));
    this.addEventListener("focusin", ({ target }) => this.settle(target.dataset.state ?? target.dataset.from));
    this.settle(kept.home);
    this.mark();
  }

  /** The states and moves that can be chosen. */
  get parts() {
    return [...this.svg.querySelectorAll("[data-key]")];
  }

  pressed(event) {
    const part = event.target.closest("[data-key]");
    const towards = ARROWS[event.key];
    const isUndo = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!part || ((event.ctrlKey || event.metaKey || event.altKey) && !isUndo)) return;
    if (isUndo) undo();
    else if (towards) nearest(part, this.svg.querySelectorAll("[data-state]"), towards)?.focus();
    else if (event.key === "Enter" || event.key === " ") this.enter(part);
    else if (event.key === "Delete" || event.key === "Backspace") this.remove(part);
    else if (event.key === "Escape" && kept.chosen) this.choose(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // The first Enter chooses, the next one on another state adds a move there, on the same it goes to the fields.
  enter(part) {
    const { state, kind } = part.dataset;
    if (state && kept.from && kept.from !== state && kind !== "missing") this.add(kept.from, state);
    else if (part.dataset.key === kept.chosen) goToFields(part);
    else this.choose(part, kind === "missing" ? "" : state);
  }

  choose(part, from = "") {
    [kept.chosen, kept.from] = [part?.dataset.key ?? "", from];
    this.mark();
    const fields = part && fieldsOf(part);
    for (const other of fields ? document.querySelectorAll("#section-states details") : []) other.open = other.contains(fields);
    say(part ? sentenceOf(part, from) : "", fields && (() => goToFields(part)));
  }

  async add(from, to) {
    kept.from = "";
    await withUndo(this.editor, { [`add_move:${from}`]: to }, `Move from ${from} to ${to} added.`);
    goTo(`move:${from}:${to}`);
  }

  async remove(part) {
    const { from, to, parts } = part.dataset;
    if (!from) return;
    if (parts.includes(" ")) {
      this.choose(part);
      say(`${parts.split(" ").length} moves go from ${from} to ${to}. Remove the one that you mean in its fields.`);
      return;
    }
    kept.chosen = "";
    await withUndo(this.editor, { remove_state_part: `${from}:${parts}` }, `Move from ${from} to ${to} removed.`);
    goTo(`state:${from}`);
  }

  // Tab leads to one state, from there to the moves out of it, and then on.
  settle(state) {
    const states = [...this.svg.querySelectorAll("[data-state]")];
    const home = states.find((one) => one.dataset.state === state) ?? states[0];
    kept.home = home?.dataset.state ?? "";
    for (const one of this.parts) one.setAttribute("tabindex", one === home || one.dataset.from === kept.home ? "0" : "-1");
  }

  mark() {
    for (const part of this.parts) part.setAttribute("aria-pressed", String(part.dataset.key === kept.chosen));
    const move = this.parts.find((part) => part.dataset.key === kept.chosen && part.dataset.from);
    for (const fields of document.querySelectorAll("[data-move]")) fields.toggleAttribute("data-chosen", Boolean(move) && fields === fieldsOf(move));
  }
}

function goTo(key) {
  const part = document.querySelector(`state-diagram [data-key="${CSS.escape(key)}"]`);
  part?.focus();
  if (part?.dataset.from) part.closest("state-diagram").choose(part);
}

function goToFields(part) {
  fieldsOf(part)?.querySelector("input, select, textarea")?.focus();
}

// The fieldset of a move, or the fields of a state; nothing for a state that is missing.
function fieldsOf(part) {
  const { state, from, parts } = part.dataset;
  const form = document.querySelector(`[data-state-form="${CSS.escape(state ?? from)}"]`)?.closest("details");
  return (parts && form?.querySelector(`[data-move="${parts.split(" ").at(-1)}"]`)) || form;
}

function sentenceOf({ dataset: { state, from, to, kind } }, start) {
  if (kind === "missing") return `There is no state called ${state}. Create it, or use another, with the buttons under the diagram.`;
  if (!state) return `Move from ${from} to ${to}. Delete removes it, Enter goes to its fields.`;
  if (start) return `From ${state}: go to another state with the arrows and press Enter to add a move. Enter again goes to its fields, Escape stops.`;
  return `${state} is chosen.`;
}

function say(words, lead) {
  const [place, button] = [document.getElementById("states-said"), document.getElementById("states-fields")];
  place.textContent = words;
  button.hidden = !lead;
  button.onclick = lead || null;
}

customElements.define("state-diagram", StateDiagram);
