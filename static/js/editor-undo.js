// Without it: Ctrl+Z in the YAML. An edit that can be taken back from the toast that tells of it.
import { showToast } from "./toast.js";

let takeBackLast = () => {};

/** Posts fields to the form's route; once the text has changed, says so in a toast with Undo. */
export async function withUndo(editor, fields, words) {
  await editor.work;
  const before = editor.text;
  await editor.queue(() => fields);
  const after = editor.text;
  if (after === before) return;
  takeBackLast = () => takeBack(editor, before, after);
  showToast(words, "Undo", takeBackLast);
}

/** Takes the last such edit back. */
export function undo() {
  takeBackLast();
}

function takeBack(editor, before, after) {
  takeBackLast = () => {};
  if (editor.text !== after) {
    editor.sayNote("The text was changed after this. Click into the YAML and press Ctrl+Z to go back step by step.");
    return;
  }
  editor.yaml.replaceText(before);
  editor.check();
  editor.saving.soon();
}
