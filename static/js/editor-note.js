// Without it: the server draws its notes itself. Says in a place what went wrong, with what can be done; no words: nothing.
export function sayIn(place, words, ...actions) {
  if (!words) {
    place.replaceChildren();
    return;
  }
  const note = document.createElement("div");
  note.className = "c-note c-note--bad";
  const text = document.createElement("p");
  text.className = "c-note__text";
  text.textContent = words;
  note.append(text, ...actions);
  place.replaceChildren(note);
}

/** Whether the form and the YAML say the same now. */
export function sayInStep(locked) {
  const badge = document.createElement("span");
  badge.className = `c-badge c-badge--${locked ? "warn" : "ok"}`;
  badge.textContent = locked ? "the form waits" : "in step with the form";
  document.getElementById("in-step").replaceChildren(badge);
}
