// Without it: the page does not say whether it is live. "live" beside the tabs; a note above the composer once it is lost.
const WORDS = { live: ["running", "live"], lost: ["waiting", "trying again"], long: ["waiting", "trying again"], over: ["stopped", "ended"] };

export function showConnection(state, reason) {
  const mark = document.querySelector("#live .c-status");
  if (mark) [mark.dataset.status, mark.textContent] = WORDS[state];
  const place = document.getElementById("connection");
  place.replaceChildren();
  if (state === "live") return;
  const note = document.createElement("div");
  note.className = "c-note c-note--warn c-composer__note";
  note.append(icon("wifi-off"), words(state, reason));
  if (state === "long" || state === "over") note.append(reload());
  place.append(note);
}

function words(state, reason) {
  const text = document.createElement("p");
  text.className = "c-note__text";
  const title = document.createElement("b");
  title.textContent = state === "over" ? "This page is no longer live." : "Connection lost, trying again.";
  text.append(title, ` ${state === "over" ? reason : "The agent keeps working. Messages you send wait here."}`);
  return text;
}

function reload() {
  const button = document.createElement("button");
  button.className = "c-button c-button--sm";
  button.type = "button";
  button.textContent = "Reload";
  button.addEventListener("click", () => location.reload());
  return button;
}

function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const mark = document.createElementNS(space, "svg");
  mark.classList.add("icon");
  mark.setAttribute("aria-hidden", "true");
  const use = mark.appendChild(document.createElementNS(space, "use"));
  use.setAttribute("href", `${document.documentElement.dataset.icons}#${name}`);
  return mark;
}
