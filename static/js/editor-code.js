// Without it: the <textarea> inside <yaml-editor> is edited as it is, and sent with its form.
import {
  Annotation, Compartment, EditorState, EditorView, StateEffect, defaultKeymap, highlightActiveLine, highlightSpecialChars,
  history, historyKeymap, indentUnit, indentWithTab, keymap, lineNumbers,
} from "../vendor/codemirror/core.js";
import { Checker } from "./editor-check.js";
import { lightingOf, litLines } from "./editor-lit.js";
import { look } from "./editor-look.js";
import { nextProblemPlace, placeOf, problemMarks, setProblems } from "./editor-problems.js";
import { yaml } from "./yaml-language.js";

const fromServer = Annotation.define();

class YamlEditor extends HTMLElement {
  #view = null;
  #lock = new Compartment();
  #checker = null;
  #searches = false;

  connectedCallback() {
    const area = this.querySelector("textarea");
    if (!area || this.#view) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open", delegatesFocus: true });
    root.addEventListener("input", (event) => event.stopPropagation()); // the text area speaks for the editor
    this.#view = new EditorView({ state: this.#state(area), parent: root, root });
    this.dataset.ready = "";
    this.#checker = new Checker({
      url: this.dataset.checkUrl,
      read: () => this.value,
      show: (problems) => this.showProblems(problems),
      fail: () => this.dispatchEvent(new CustomEvent("unchecked", { bubbles: true })),
    });
    this.#checker.soon(0);
  }

  disconnectedCallback() {
    this.#checker?.stop();
    this.#view?.destroy();
    this.#view = null;
  }

  get value() {
    return this.#view?.state.doc.toString() ?? this.querySelector("textarea").value;
  }

  /** Makes the text `text` by the smallest change, so that caret, scroll and undo stay; no `input` event. */
  replaceText(text) {
    const [old, area] = [this.value, this.querySelector("textarea")];
    area.value = text;
    if (!this.#view || old === text) return;
    let from = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) from += 1;
    let kept = 0;
    const most = Math.min(old.length, text.length) - from;
    while (kept < most && old[old.length - 1 - kept] === text[text.length - 1 - kept]) kept += 1;
    const changes = { from, to: old.length - kept, insert: text.slice(from, text.length - kept) };
    this.#view.dispatch({ changes, annotations: fromServer.of(true) });
    this.#checker.soon();
  }

  /** Puts the caret at a line and column (both from 1, in characters) and shows it. */
  goTo(line, column = 1) {
    if (!this.#view) return;
    const at = placeOf(this.#view.state.doc, line, column);
    this.#view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.#view.focus();
  }

  /** Grounds the lines from..to (from 1, both inside) in the accent, and shows them; without numbers takes it away. */
  lightLines(from, to = from) {
    if (this.#view) this.#view.dispatch(lightingOf(this.#view.state.doc, from, to));
  }

  /** Marks problems ({line, column, end_line, end_column, severity, message, …}) and says so by a `problems` event. */
  showProblems(problems) {
    this.#view?.dispatch({ effects: setProblems.of(problems) });
    this.dispatchEvent(new CustomEvent("problems", { detail: { problems }, bubbles: true }));
  }

  /** Does what a problem's fix says ({start, end, text}, counted in characters), as if the author had typed it. */
  applyFix({ start, end, text }) {
    const characters = [...this.value];
    const from = characters.slice(0, start).join("").length;
    const to = from + characters.slice(start, end).join("").length;
    this.#view?.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } });
    this.#view?.focus();
  }

  set readOnly(is) {
    this.#view?.dispatch({ effects: this.#lock.reconfigure(EditorState.readOnly.of(is)) });
  }

  async find() {
    const { openSearchPanel, search, searchKeymap } = await import("../vendor/codemirror/search.js");
    if (!this.#searches) this.#view.dispatch({ effects: StateEffect.appendConfig.of([search(), keymap.of(searchKeymap)]) });
    this.#searches = true;
    openSearchPanel(this.#view);
    return true;
  }

  #state(area) {
    const label = area.getAttribute("aria-label") ?? area.labels?.[0]?.textContent ?? "YAML";
    const keys = [
      { key: "Mod-f", run: () => Boolean(this.find()) },
      { key: "F8", run: () => this.nextProblem() },
      { key: "Escape", run: (view) => (view.contentDOM.blur(), true) },
    ];
    return EditorState.create({
      doc: area.value,
      extensions: [
        keymap.of(keys), problemMarks, lineNumbers(), history(), highlightActiveLine(), highlightSpecialChars(), litLines, yaml, look,
        indentUnit.of("  "), EditorState.tabSize.of(2), this.#lock.of(EditorState.readOnly.of(area.readOnly)),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off", tabindex: "0" }),
        EditorView.updateListener.of((update) => this.#changed(update)),
      ],
    });
  }

  nextProblem() {
    const place = nextProblemPlace(this.#view.state);
    if (place === null) return false;
    this.#view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) });
    this.#view.focus();
    return true;
  }

  #changed(update) {
    if (update.selectionSet || update.docChanged) {
      const line = update.state.doc.lineAt(update.state.selection.main.head);
      const column = [...line.text.slice(0, update.state.selection.main.head - line.from)].length + 1;
      this.dispatchEvent(new CustomEvent("caret", { detail: { line: line.number, column }, bubbles: true }));
    }
    if (!update.docChanged || update.transactions.every((one) => one.annotation(fromServer))) return;
    const area = this.querySelector("textarea");
    area.value = this.value;
    area.dispatchEvent(new CustomEvent("input", { detail: { text: area.value }, bubbles: true }));
    this.#checker.soon();
  }
}

customElements.define("yaml-editor", YamlEditor);
