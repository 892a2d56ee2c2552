// Without it: the YAML is plain text. Colours one line at a time: keys, text, numbers, {{ values }}, comments. Enter indents.
import { HighlightStyle, StreamLanguage, syntaxHighlighting, tags } from "../vendor/codemirror/core.js";

const KEY = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#[\]{},&*!|>'"%@`:-][^#:,[\]{}]*?|-[^\s#:,[\]{}][^#:,[\]{}]*?)(?=\s*:(?:\s|$))/;
const BLOCK_HEAD = /^[|>][-+]?\d?[-+]?(?=\s*(?:#.*)?$)/;
const NUMBER = /^[-+]?\d[\d_.]*(?:[eE][-+]?\d+)?(?:ms|s|m|h|d|%)?(?=\s*(?:\s#|$|[,\]}]))/;
const WORD = /^(?:true|false|null|~)(?=\s*(?:\s#|$|[,\]}]))/;
const VALUE = /^\{\{.*?\}\}/;
const TEMPLATE = "user_prompt_template"; // elsewhere {{ }} is text, sent as it is

const startState = () => ({ block: -1, blockWaits: -1, key: -1, opens: -1, quote: "", flow: 0, isTemplate: false });

const atValue = (stream, state, consume = true) => state.isTemplate && stream.match(VALUE, consume);

function token(stream, state) {
  if (stream.sol()) enterLine(stream, state);
  if (state.block >= 0) return inText(stream, state);
  if (state.quote) return inQuotes(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.peek() === "#") {
    stream.skipToEnd();
    return "comment";
  }
  return inLine(stream, state);
}

// A block of text (| or >) goes on while lines are empty or deeper than the line that opened it.
function enterLine(stream, state) {
  const blank = /^\s*$/.test(stream.string);
  if (state.blockWaits >= 0) [state.block, state.blockWaits] = [state.blockWaits, -1];
  if (state.block >= 0 && !blank && stream.indentation() <= state.block) state.block = -1;
  state.key = state.opens = -1;
}

function inLine(stream, state) {
  if (stream.match(/^(?:---|\.\.\.)(?=\s|$)/)) return "meta";
  if (stream.match(/^-(?=\s|$)/)) return "punctuation";
  if (atValue(stream, state)) return "mark";
  const column = stream.column();
  if (stream.match(KEY)) {
    state.key = column;
    if (column === 0) state.isTemplate = stream.current() === TEMPLATE;
    if (stream.match(/^\s*:\s*(?:#.*)?$/, false)) state.opens = column;
    return "propertyName";
  }
  if (stream.match(/^:(?=\s|$)/)) return "punctuation";
  if (stream.match(BLOCK_HEAD)) {
    state.blockWaits = stream.indentation();
    state.opens = Math.max(state.key, state.blockWaits);
    return "punctuation";
  }
  const bracket = stream.match(/^[[\]{},]/);
  if (bracket && (state.flow > 0 || "[{".includes(bracket[0]))) {
    state.flow = Math.max(0, state.flow + ({ "[": 1, "{": 1, "]": -1, "}": -1 }[bracket[0]] ?? 0));
    return "punctuation";
  }
  if (stream.match(NUMBER)) return "number";
  if (stream.match(WORD)) return "bool";
  if (stream.match(/^[&*!]\S+/)) return "meta";
  const quote = stream.match(/^["']/);
  if (quote) {
    state.quote = quote[0];
    return inQuotes(stream, state);
  }
  stream.next();
  while (!stream.eol() && !stream.match(/^\s+#/, false) && !atValue(stream, state, false) && !(state.flow && /[,\]}]/.test(stream.peek()))) stream.next();
  return "string";
}

function inQuotes(stream, state) {
  while (!stream.eol()) {
    if (atValue(stream, state, false)) return stream.pos === stream.start ? (stream.match(VALUE), "mark") : "string";
    const character = stream.next();
    if (character === "\\" && state.quote === '"') stream.next();
    else if (character === state.quote) {
      if (state.quote === "'" && stream.eat("'")) continue;
      state.quote = "";
      break;
    }
  }
  return "string";
}

function inText(stream, state) {
  if (atValue(stream, state)) return "mark";
  stream.next();
  while (!stream.eol() && !atValue(stream, state, false)) stream.next();
  return "string";
}

// Behind "key:" and "key: |" what belongs to the key comes deeper; elsewhere null keeps the indent of the line above.
function indent({ opens }, textAfter, { unit }) {
  return opens < 0 ? null : opens + unit;
}

const yamlLanguage = StreamLanguage.define({
  name: "yaml",
  startState,
  copyState: (state) => ({ ...state }),
  token,
  indent,
  languageData: { commentTokens: { line: "#" } },
  tokenTable: { mark: tags.special(tags.string) },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: tags.string, color: "var(--code-text)" },
  { tag: [tags.number, tags.bool], color: "var(--code-number)" },
  { tag: tags.special(tags.string), color: "var(--code-mark)" },
  { tag: [tags.comment, tags.meta], color: "var(--ink-3)" },
  { tag: tags.punctuation, color: "var(--ink-2)" },
]);

export const yaml = [yamlLanguage, syntaxHighlighting(colours)];
