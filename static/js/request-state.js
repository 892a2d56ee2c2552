// Without it: forms post and the browser shows that it waits. Marks the pressed control busy; says so when the server fails.
const busy = (element) => element.closest?.("button, form, [data-busy]") ?? element;

document.addEventListener("htmx:beforeRequest", (event) => {
  const pressed = event.detail.requestConfig?.triggeringEvent?.submitter ?? busy(event.detail.elt);
  event.detail.xhr.pressed = pressed;
  pressed.setAttribute("aria-busy", "true");
});

document.addEventListener("htmx:afterRequest", (event) => {
  event.detail.xhr.pressed?.removeAttribute("aria-busy");
  const target = event.detail.target;
  if (event.detail.successful && target) clear(target);
});

document.addEventListener("htmx:responseError", (event) => {
  const { xhr, target } = event.detail;
  const gone = xhr.status === 404;
  say(target, gone ? "It is not there any more." : "The server could not do that.", gone ? "Reload the page to see what is." : "Nothing was changed. Try again.");
});

document.addEventListener("htmx:sendError", (event) => {
  say(event.detail.target, "The server cannot be reached.", "What you wrote is still here. Try again in a moment.");
});

function clear(target) {
  for (const note of document.querySelectorAll("[data-request-note]")) {
    if (note.dataset.requestNote === target.id) note.remove();
  }
}

// Beside the place that failed, or on top of the page.
function say(target, what, now) {
  const place = target?.isConnected && target.parentElement ? target : document.getElementById("main");
  if (!place) return;
  clear(place);
  const note = document.createElement("div");
  note.className = "c-note c-note--bad";
  note.role = "alert";
  note.dataset.requestNote = place.id;
  const words = document.createElement("p");
  words.className = "c-note__text";
  const title = document.createElement("b");
  title.textContent = what;
  words.append(title, ` ${now}`);
  note.append(words);
  if (place.id === "main" || place === document.body) document.getElementById("main").prepend(note);
  else place.before(note);
}
