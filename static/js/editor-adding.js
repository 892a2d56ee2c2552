// Without it: a section is posted whole, with the name of a new part in it. Enter ends a field, or adds what is named in it.

/** Enter in a field of the form ends the edit; the browser's own would press the first button of the section. */
export function endOfFields(editor) {
  editor.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key !== "Enter" || !target.matches("[data-section] input")) return;
    event.preventDefault();
    if ("adds" in target.dataset) addPart(editor, target);
    else if (target.type !== "checkbox") editor.edited({ type: "change", target });
  });
}

/** Adds the state or variable that is named in the field. */
export function addPart(editor, source) {
  if (source.value.trim()) editor.queue(() => ({ [source.name]: source.value }));
  else source.focus();
}
