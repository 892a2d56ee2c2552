// Without it: no lines are lit. Grounds the lines of the form section that a person is in.
import { Decoration, EditorView, StateEffect, StateField } from "../vendor/codemirror/core.js";

const setLit = StateEffect.define();

export const litLines = StateField.define({
  create: () => Decoration.none,
  update(lit, transaction) {
    for (const effect of transaction.effects) if (effect.is(setLit)) return effect.value;
    return lit.map(transaction.changes);
  },
  provide: (self) => EditorView.decorations.from(self),
});

// Lines from..to, from 1, both inside; none when from is missing.
export function lightingOf(doc, from, to) {
  const last = Math.min(to, doc.lines);
  const lines = from ? Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => doc.line(from + index)) : [];
  const lit = Decoration.set(lines.map((line) => Decoration.line({ class: "cm-lit" }).range(line.from)));
  const show = lines.length ? [EditorView.scrollIntoView(lines[0].from, { y: "nearest", yMargin: 40 })] : [];
  return { effects: [setLit.of(lit), ...show] };
}
