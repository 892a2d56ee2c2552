// Without it: panes that narrow screens hide are reached by their own pages. data-drawer-opens="id" shows a pane as a drawer.
let opener = null;

function open(pane, button) {
  opener = button;
  pane.dataset.drawer = "open";
  pane.tabIndex = -1;
  const scrim = document.createElement("div");
  scrim.className = "c-drawer__scrim";
  scrim.dataset.drawerScrim = "";
  pane.before(scrim);
  for (const other of pane.parentElement.children) {
    if (other !== pane && other !== scrim) other.inert = true;
  }
  button.setAttribute("aria-expanded", "true");
  pane.focus();
}

function close(pane) {
  delete pane.dataset.drawer;
  document.querySelector("[data-drawer-scrim]")?.remove();
  for (const other of pane.parentElement.children) other.inert = false;
  opener?.setAttribute("aria-expanded", "false");
  opener?.focus();
  opener = null;
}

const shown = () => document.querySelector('[data-drawer="open"]');

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-drawer-opens]");
  const pane = button && document.getElementById(button.dataset.drawerOpens);
  if (pane) {
    event.preventDefault();
    if (shown()) close(shown());
    else open(pane, button);
  } else if (shown() && event.target.closest("[data-drawer-scrim], [data-drawer-closes]")) {
    close(shown());
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && shown() && !event.defaultPrevented) close(shown());
});
