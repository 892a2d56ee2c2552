// Without it: problems are listed under the text by the server. Marks them in the text and the gutter; F8 goes to the next.
import { Decoration, EditorView, GutterMarker, RangeSetBuilder, StateEffect, StateField, gutter } from "../vendor/codemirror/core.js";

const WEIGHT = { error: 3, warning: 2, hint: 1 };

export const setProblems = StateEffect.define();

// Lines and columns count from 1, columns in characters, the end is exclusive; offsets here are UTF-16.
export function placeOf(doc, line, column) {
  const found = doc.line(Math.max(1, Math.min(line, doc.lines)));
  const before = [...found.text].slice(0, Math.max(0, column - 1)).join("");
  return Math.min(found.from + before.length, found.to);
}

function ranged(doc, problem) {
  const from = placeOf(doc, problem.line, problem.column ?? 1);
  const end = problem.end_line ? placeOf(doc, problem.end_line, problem.end_column ?? 1) : from;
  const line = doc.lineAt(from);
  const to = end > from ? end : line.to;
  return { problem, line, from: to > from ? from : line.from, to: Math.max(to, from) };
}

function draw(doc, problems) {
  const marks = [];
  const gutters = new Map();
  for (const problem of problems) {
    const { from, to, line } = ranged(doc, problem);
    const name = `cm-problem cm-problem-${problem.severity}`;
    if (to > from) marks.push(Decoration.mark({ class: name, attributes: { title: problem.message } }).range(from, to));
    if (problem.severity === "error") marks.push(Decoration.line({ class: "cm-line-error" }).range(line.from));
    const known = gutters.get(line.from);
    if (!known || WEIGHT[known.severity] < WEIGHT[problem.severity]) gutters.set(line.from, problem);
  }
  const builder = new RangeSetBuilder();
  for (const [at, problem] of [...gutters].sort(([a], [b]) => a - b)) builder.add(at, at, new ProblemMark(problem));
  return { problems, marks: Decoration.set(marks, true), gutter: builder.finish() };
}

class ProblemMark extends GutterMarker {
  constructor(problem) {
    super();
    this.severity = problem.severity;
    this.message = problem.message;
  }

  eq(other) {
    return other.severity === this.severity && other.message === this.message;
  }

  toDOM() {
    const mark = document.createElement("span");
    mark.className = `cm-problem-mark cm-problem-mark-${this.severity}`;
    mark.title = this.message;
    return mark;
  }
}

const field = StateField.define({
  create: () => ({ problems: [], marks: Decoration.none, gutter: new RangeSetBuilder().finish() }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setProblems)) return draw(transaction.state.doc, effect.value);
    }
    if (!transaction.docChanged) return value;
    return { ...value, marks: value.marks.map(transaction.changes), gutter: value.gutter.map(transaction.changes) };
  },
  provide: (self) => EditorView.decorations.from(self, (value) => value.marks),
});

export const problemMarks = [field, gutter({ class: "cm-problem-gutter", markers: (view) => view.state.field(field).gutter })];

// The place of the first problem after the caret, or of the first of all; null when there is none.
export function nextProblemPlace(state) {
  const places = state.field(field).problems.map((problem) => ranged(state.doc, problem).from).sort((a, b) => a - b);
  return places.find((place) => place > state.selection.main.head) ?? places[0] ?? null;
}
