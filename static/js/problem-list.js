// Without it: the server's own list of problems stands here. <problem-list data-editor="id" class="c-problems"> follows the editor.
const ICONS = { error: "circle-x", warning: "triangle-alert", hint: "info" };
const WORDS = { error: ["problem", "problems"], warning: ["warning", "warnings"], hint: ["hint", "hints"] };

class ProblemList extends HTMLElement {
  connectedCallback() {
    this.editor = document.getElementById(this.dataset.editor);
    this.onProblems = (event) => this.draw(event.detail.problems);
    this.onCaret = (event) => this.say(event.detail);
    this.editor?.addEventListener("problems", this.onProblems);
    this.editor?.addEventListener("caret", this.onCaret);
  }

  disconnectedCallback() {
    this.editor?.removeEventListener("problems", this.onProblems);
    this.editor?.removeEventListener("caret", this.onCaret);
  }

  draw(problems) {
    const head = element("div", "c-problems__head");
    for (const severity of Object.keys(WORDS)) {
      const count = problems.filter((problem) => problem.severity === severity).length;
      if (count) head.append(counted(severity, count));
    }
    if (!problems.length) head.append(none());
    this.place = element("span", "", problems.length ? "F8 next" : "");
    head.append(this.place);
    this.replaceChildren(head, ...problems.map((problem) => this.row(problem)));
  }

  say({ line }) {
    if (this.place && this.children.length === 1) this.place.textContent = `Line ${line}`;
  }

  row(problem) {
    const row = element("div", "c-problems__row");
    row.dataset.severity = problem.severity;
    const go = element("button", "c-problems__go");
    go.type = "button";
    go.append(icon(ICONS[problem.severity]), element("span", "c-problems__line", problem.line), words(problem.message));
    go.addEventListener("click", () => this.editor.goTo(problem.line, problem.column));
    row.append(go);
    if (problem.fix) {
      const fix = element("button", "link", problem.fix.title);
      fix.type = "button";
      fix.addEventListener("click", () => this.editor.applyFix(problem.fix));
      row.append(fix);
    }
    return row;
  }
}

// Words between backticks are code, as in the server's own list.
function words(sentence) {
  const made = element("span", "c-problems__words");
  made.append(...sentence.split(/`([^`\n]+)`/).map((part, index) => (index % 2 ? element("code", "", part) : part)));
  return made;
}

function counted(severity, count) {
  const part = element("span", `c-problems__count ${{ error: "u-bad", warning: "u-warn", hint: "u-accent" }[severity]}`);
  part.append(icon(ICONS[severity]), ` ${count} ${WORDS[severity][count === 1 ? 0 : 1]}`);
  return part;
}

function none() {
  const part = element("span", "c-problems__count u-ok");
  part.append(icon("circle-check"), " No problems");
  return part;
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon icon--sm");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `${document.documentElement.dataset.icons}#${name}`);
  svg.append(use);
  return svg;
}

customElements.define("problem-list", ProblemList);
