// Without it: the sidebar stays as wide as the page asks. "\" toggles it; remembered for list pages and work pages apart.
import { isTyping, lettersAreOn } from "./shortcuts.js";

const root = document.documentElement;

document.addEventListener("keydown", (event) => {
  if (event.key !== "\\" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target) || !lettersAreOn()) return;
  event.preventDefault();
  root.dataset.side = root.dataset.side === "rail" ? "wide" : "rail";
  try {
    localStorage.setItem(`studio.side.${root.dataset.sideDefault}`, root.dataset.side);
  } catch {
    // Storage is refused: the choice lasts for this page.
  }
});
