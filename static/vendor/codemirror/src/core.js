// What every editor page loads; kept small (JavaScript with CodeMirror stays under 120 KB, compressed).
export { Annotation, Compartment, EditorState, RangeSetBuilder, StateEffect, StateField, Transaction } from "@codemirror/state";
export {
  Decoration,
  EditorView,
  GutterMarker,
  gutter,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
export { HighlightStyle, StreamLanguage, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { tags } from "@lezer/highlight";
