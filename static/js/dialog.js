// Without it: a link with data-opens goes to its page instead; the browser traps focus and gives it back by itself.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) {
    const dialog = document.getElementById(opener.dataset.opens);
    if (!dialog) return;
    event.preventDefault();
    if (!dialog.open) dialog.showModal();
    return;
  }
  const closer = event.target.closest("[data-closes]");
  if (closer) {
    closer.closest("dialog")?.close();
  } else if (event.target instanceof HTMLDialogElement && isOutside(event.target, event)) {
    event.target.close();
  }
});

// A dialog that the server sends opens itself; a form that was sent well closes its dialog.
document.addEventListener("htmx:load", (event) => {
  const dialog = event.target.closest?.("dialog[data-open]") ?? event.target.querySelector?.("dialog[data-open]");
  if (dialog && !dialog.open) dialog.showModal();
});

document.addEventListener("htmx:afterRequest", (event) => {
  const dialog = event.detail.elt.closest?.("dialog");
  if (dialog && event.detail.successful && event.detail.elt.matches("form")) dialog.close();
});

function isOutside(dialog, event) {
  if (event.detail === 0) return false; // Enter in a field clicks the button at 0, 0
  const box = dialog.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}
