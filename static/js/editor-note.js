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
