// Without it: a menu is a <details> that opens and closes by its own button. Adds Esc, a click elsewhere, arrow keys.
const openMenus = () => document.querySelectorAll("details.c-menu[open]");

function close(menu, { refocus = false } = {}) {
  menu.open = false;
  if (refocus) menu.querySelector("summary").focus();
}

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) {
    const inside = menu.contains(event.target);
    const keeps = event.target.closest("theme-switch, summary, input, label");
    if (!inside || !keeps) close(menu);
  }
}, { capture: false });

document.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.("details.c-menu[open]");
  if (!menu) return;
  const items = [...menu.querySelectorAll(".c-menu__panel :is(a, button):not(:disabled)")];
  const at = items.indexOf(document.activeElement);
  const moves = { ArrowDown: at + 1, ArrowUp: at < 0 ? items.length - 1 : at - 1, Home: 0, End: items.length - 1 };
  if (event.key === "Escape") {
    event.stopPropagation();
    close(menu, { refocus: true });
  } else if (event.key in moves && items.length) {
    event.preventDefault();
    items[(moves[event.key] + items.length) % items.length].focus();
  }
});

document.addEventListener("toggle", (event) => {
  if (!event.target.matches?.("details.c-menu") || !event.target.open) return;
  for (const menu of openMenus()) {
    if (menu !== event.target) close(menu);
  }
  event.target.querySelector(".c-menu__panel")?.scrollIntoView({ block: "nearest" });
}, { capture: true });
