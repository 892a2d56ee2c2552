// Without it: a question is answered with its buttons. A approves, E edits, D denies: the card that has the focus, or the only one.
import { isTyping, lettersAreOn } from "./shortcuts.js";

const CARDS = "form[data-asks]";

document.addEventListener("keydown", (event) => {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
  if (event.defaultPrevented || !isPlain || isTyping(event.target) || !lettersAreOn()) return;
  if (document.querySelector("dialog:modal")) return;
  const button = card(event.target)?.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!button?.checkVisibility()) return;
  event.preventDefault();
  button.click();
});

function card(target) {
  const open = [...document.querySelectorAll(CARDS)];
  return target.closest?.(CARDS) ?? (open.length === 1 ? open[0] : null);
}

// What was folded out is where the next key goes.
document.addEventListener("toggle", (event) => {
  const fold = event.target;
  if (fold.matches?.(".c-decision__fold[open]")) fold.querySelector("input, textarea, select, button[type=submit]")?.focus();
}, true);
